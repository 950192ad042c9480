"""Personal things out of a text that somebody is about to publish: homes, hosts, addresses, tokens."""

from __future__ import annotations

import re

_RULES = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (r"\b(?:hf|ghp|gho|ghs|glpat|sk|pk|xox[abp])[_-][A-Za-z0-9_-]{8,}", "<token>"),
        (r"\bgithub_pat_\w{8,}", "<token>"),
        (r"\bAKIA[0-9A-Z]{12,}", "<token>"),
        (r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*", "<token>"),
        (
            r"(?i)\b(authorization:\s*(?:bearer|basic)\s+|(?:\w*[_-])?(?:api[_-]?key|token|secret|password|passwd)"
            r"\s*[=:]\s*[\"']?)[^\s\"',;]+",
            r"\1<secret>",
        ),
        (r"(?i)(https?://)[^\s/@:]+:[^\s/@]+@", r"\1<secret>@"),
        (r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b", "<mail>"),
        (r"(/(?:home|Users|data/users)/)[^/\s\"':]+", r"\1user"),
        (r"(?i)(\b[A-Z]:\\Users\\)[^\\\s\"']+", r"\1user"),
        (r"(?<![\w.])/root(?=/)", "/home/user"),
        (r"(?<![\d.])(?!127\.0\.0\.1|0\.0\.0\.0)(?:\d{1,3}\.){3}\d{1,3}(?![\d.])", "<ip>"),
        (r"(?i)(?<![\w:])(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}(?![\w:])", "<ip>"),
        (r"(?i)\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", "<mac>"),
        (r"\bGPU-[0-9a-f]{8}-[0-9a-f-]{20,}", "GPU-<uuid>"),
        (r"\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:internal|local|lan|corp|intra|cluster)\b", "<host>"),
        (
            r"((?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2}\s\d\d:\d\d:\d\d\s)\S+(?=\s\S+:)",
            r"\1<host>",
        ),
        (r"(?m)^[\w.-]+(?=:\d+:\d+ \[\d+\] NCCL )", "<host>"),
        (r"(?<=\s)[\w.-]+@[\w.-]+(?=:[~/])", "<user>@<host>"),
    )
)


def redact(text: str) -> str:
    """The text without home folders' names, hosts, addresses, mail addresses, tokens and other secrets.

    What carries meaning stays: versions, cards, numbers, the rest of each path. It can't know every secret:
    whoever publishes the text still has to read it.
    """
    for pattern, put in _RULES:
        text = pattern.sub(put, text)
    return text

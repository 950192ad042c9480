"""Personal things out of a text that somebody is about to publish, kind by kind: one table.

What tells stays: cards, versions, package paths below `site-packages`, what an error says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from gpu_gotchas.cli.places import address, dotted_host, folder, host_of, named_host, package_path, person


class Kind(NamedTuple):
    """name: for tests and readers. put: what stands for it, or what decides that."""

    name: str
    pattern: re.Pattern[str]
    put: str | Callable[[re.Match[str]], str]


def _kind(name: str, pattern: str, put: str | Callable[[re.Match[str]], str]) -> Kind:
    return Kind(name, re.compile(pattern), put)


_MIXED = r"(?=[A-Za-z_-]*\d|[a-z]*[A-Z])"
_SECRET_NAME = (
    r"(?:[\w-]*(?:api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|secret|passw(?:or)?d|passphrase"
    r"|credential)[\w-]*"
    r"|(?:[\w-]*(?:hf|hub|face|access|auth|api|session|refresh|bearer|bot|git|github|gitlab|wandb|user)[_-])?token)"
)
_NO_SECRET = r"(?!(?:None|null|nil|EMPTY|True|False|true|false|\*+|x+|\d+|\[\]|\{\})(?![\w-])|<)"

_TOKENS = (
    rf"\b(?:hf|r8|gsk|npm|dop_v1|nvapi|pypi|sk|rk|pk|xapp)[_-]{_MIXED}[A-Za-z0-9_-]{{8,}}"
    r"|\b(?:hf|gsk|r8)_[A-Za-z0-9]{16,}|\bsk-[A-Za-z0-9_-]{16,}"
    r"|\b(?:gh[opusr]|github_pat|glpat|dckr_pat)[_-]\w[\w-]{7,}|\bxox[a-z]-[\w-]{8,}"
    r"|\b(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{12,}|\bAIza[\w-]{20,}|\bya29\.[\w.-]{10,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
)
_BUCKETS = "s3a?|gs|gcs|az|abfss?|wasbs?|r2|oss|cos|obs|hdfs|minio|swift"
_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"

_SECRETS = (
    _kind("key", r"-----BEGIN [A-Z ]*KEY-----.*", "<key>"),
    _kind("public key", r"\bssh-(?:rsa|dss|ed25519) [A-Za-z0-9+/=]{20,}(?: \S+)?", "<key>"),
    _kind("token", _TOKENS, "<token>"),
    _kind(
        "authorization",
        r"(?i)(\bauthorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token)\s+)[^\s\"',;<]+",
        r"\1<secret>",
    ),
    _kind(
        "bearer",
        r"(\b(?i:bearer|basic)\s+)(?=[^\s\"']*[\dA-Z])(?![A-Z][a-z]+\b)[\w.~+/=-]{8,}",
        r"\1<secret>",
    ),
    _kind(
        "secret",
        rf"(?i)(\b{_SECRET_NAME}[\"']?\s*[=:]\s*[\[(]?[\"']?){_NO_SECRET}[^\s\"',;&<>)\]]+",
        r"\1<secret>",
    ),
    _kind(
        "secret flag",
        r"(?i)((?<!\w)--(?:[\w-]*(?:api-key|secret|password|access-key)|(?:hf-|auth-|access-)?token)"
        rf"\s+[\"']?){_NO_SECRET}(?!-)[^\s\"',;<>]+",
        r"\1<secret>",
    ),
    _kind("login in a URL", r"(?i)(\b[a-z][a-z0-9+.-]*://)[^\s/@:<]*:[^\s/@<]+@", r"\1<secret>@"),
)
_PEOPLE = (
    _kind(
        "mail",
        r"\b(?!git@git(?:hub|lab)\.com)[\w.+-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}\b(?![\w(])",
        "<mail>",
    ),
    _kind(
        "prompt",
        r"(?<![\w@/.<-])(?!git@git)[a-z_][\w.-]{1,31}@"
        r"(?!sha\d|v?\d|main\b|master\b|latest\b|[0-9a-f]{7,40}\b)"
        r"[A-Za-z][\w-]{2,}(?:\.[\w-]+)*(?![\w(.])",
        "<user>@<host>",
    ),
    _kind(
        "user",
        r"(?i)(?<![\w/])((?:user(?:[_ -]?name)?|logname|login|owner)[\"']?\s*[=:]\s*[\"']?)([\w.@-]+)",
        person,
    ),
    _kind(
        "user told",
        r"(?<![\w/-])(\b(?:for|by|as|of|from) [Uu]ser [\"']?"
        r"|[Uu]ser [\"']?(?=[\w.-]+[\"']?(?:$|[^\w\s(]|\s+(?:is|has|was|does|can|not|on|at|from|in)\b)))"
        r"([A-Za-z_][\w.-]*)(?![\w(])",
        person,
    ),
    _kind("user's number", r"(\b[ug]id=\d+\()[^)<\s]+(?=\))", r"\1user"),
    _kind(
        "user's cache",
        r"(\btorchinductor_|\bvllm-usage-)(?!user\b|session\b|\d)[a-z][\w.-]*",
        r"\1user",
    ),
)
_FOLDERS = (
    _kind("bucket", rf"(?i)\b((?:{_BUCKETS})://)[^\s\"'<>,;)\]]+", r"\1<path>"),
    _kind("home", r"(?<![\w.>])(?:/[\w.-]+)*?/(?:home|Users)/(?!user\b)[^/\s\"':,;)<>]+", "/home/user"),
    _kind("root's home", r"(?<![\w.>-])/root(?=[/\s:\"']|$)", "/home/user"),
    _kind(
        "home of Windows",
        r"(?i)(\b[A-Z]:[\\/]+(?:Users|Documents and Settings)[\\/]+)[^\\/\s\"':<]+",
        r"\1user",
    ),
    _kind("home by name", r"(?<![\w/~.])~[a-z][\w.-]+(?=/)", "~user"),
    _kind("share of Windows", r"(?<![\\\w])\\\\[\w.-]+\\[\w.$-]+", r"\\\\<host>\\<share>"),
    _kind(
        "package path",
        r"(?<![\w.>/-])(/[^\s\"'<>:]*?)(/lib(?:64)?/python[\d.]+t?/(?:site|dist)-packages)(?![\w-])",
        package_path,
    ),
    _kind("folder", r"(?<![\w.>:/<-])/(?P<root>[A-Za-z0-9_-]+)/[^\s\"'<>:;,()\[\]=]+", folder),
)
_ADDRESSES = (
    _kind("IP", r"(?<![\d.\w])(?:\d{1,3}\.){3}\d{1,3}(?![\d.]*\w)", address),
    _kind("IPv6", r"(?i)(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])", "<ip>"),
    _kind(
        "short IPv6",
        r"(?i)(?<![\w:])(?=[0-9a-f:]*::)(?:f[cde]..|[23]...):[0-9a-f:]+(?:%\w+)?(?![\w:])",
        "<ip>",
    ),
    _kind("MAC", r"(?i)(?<![\w:])(?:[0-9a-f]{2}:){5,7}[0-9a-f]{2}(?![\w:])", "<mac>"),
    _kind("GUID", r"(?i)(?<![\w:])(?:[0-9a-f]{4}:){3,7}[0-9a-f]{4}(?![\w:])", "<guid>"),
    _kind("UUID", r"(?i)(?<![0-9a-f])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-f])", "<uuid>"),
    _kind(
        "serial number",
        r"(?i)(\b(?:serial(?:[ _-]*(?:number|num|no\.?))?|unique[ _-]*id|asset[ _-]*tag|fabric[ _-]*guid)"
        r"\s*[:=#]\s*)(?=[\w-]*\d)(?!\d{1,5}\b)[\w-]+",
        r"\1<serial>",
    ),
    _kind("cloud name", r"\barn:aws[\w-]*:[^\s\"',;)\]]+", "<arn>"),
)
_HOSTS = (
    _kind("host of AWS", r"\bip(?:-\d{1,3}){4}\b(?:\.[\w-]+)*", "<host>"),
    _kind(
        "host in full",
        r"(?i)(?<![\w.@/<-])(?P<name>(?:[a-z0-9][a-z0-9-]{0,62}\.)+[a-z]{2,})(?![\w(.-]|\.\w)"
        r"(?P<port>:\d+)?(?P<path>/[\w./:-]*\w)?",
        dotted_host,
    ),
    _kind(
        "host of a journal",
        rf"(\b(?:{_MONTHS})\s+\d{{1,2}}\s\d\d:\d\d:\d\d\s)(?!<)\S+(?=\s\S+:)",
        r"\1<host>",
    ),
    _kind("host of NCCL", r"(?<![\w./<-])[A-Za-z][\w.-]*(?=:\d+:\d+ \[\d+\] )", "<host>"),
    _kind(
        "host of Slurm",
        r"(\bsrun: error: |\bslurmstepd: error: .{0,60}? ON |\bSLURM_\w*NODE(?:LIST|NAME)=)"
        r"(?!<)[\w.,\[\]-]+",
        r"\1<host>",
    ),
    _kind(
        "host in brackets",
        r"(?<=\[)(?!(?:rank|default|localhost)\d*\])[A-Za-z][\w.-]*(?=\]:\d{2,5}\b)",
        "<host>",
    ),
    _kind(
        "host by name",
        r"(?i)(?<![\w/])((?:(?:host[_ -]?name|node[_ -]?name|master[_-]addr)[\"']?\s*[=:]|host[\"']?\s*="
        r"|[\"']host[\"']\s*:)\s*[\"']?)([\w.-]+)",
        named_host,
    ),
)
_URL = _kind(
    "URL",
    r"(?i)\b((?!hf:|file:)[a-z][a-z0-9+.-]*://(?:<secret>@)?)"
    r"([^\s/\"'<>:()\[\]]+)(:\d+)?([^\s\"'<>()]*)",
    host_of,
)
KINDS = (*_SECRETS, _FOLDERS[0], _URL, *_PEOPLE, *_FOLDERS[1:], *_ADDRESSES, *_HOSTS)
"""In the order in which they are looked for: what holds others comes first."""


def redact(text: str) -> str:
    """The text without names of people, hosts and folders, addresses, serial numbers, tokens and secrets.

    It can't know every secret: whoever publishes the text still has to read it.
    """
    for kind in KINDS:
        text = kind.pattern.sub(kind.put, text)
    return text

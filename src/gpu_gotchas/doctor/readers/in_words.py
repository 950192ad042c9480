"""A report in words: `RTX 3090, vllm 0.19.1, --kv-cache-dtype fp8`, a bug report, or the title of one.

The last that is tried. Cards and versions are taken where they are plain. A whole command is a command;
flags and variables that are only named are set, and say nothing of those that are not. The words themselves
say what is likely, and decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.readers.named_cards import TARGET, named_cards
from gpu_gotchas.doctor.readers.named_versions import named_versions
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.doctor.readers.wished import wished
from gpu_gotchas.hardware.machine import Machine

MAX_TEXT = 200_000
MAX_COMMANDS = 8

_COMMAND = re.compile(
    r"(?:\b[A-Z][A-Z0-9_]*=\S+ +)*"
    r"\b(?:vllm serve|sglang serve|docker run|podman run|python3?(?:\.[0-9]+)? -m (?:vllm|sglang)\.)"
    r"(?:\\\r?\n|[^\n`]){2,4000}"
)
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9_-]+(?:[ =](?:\d[\w.]*|[\w./{}\":]*[\w}\"]))?")
_VARIABLE = re.compile(r"\b([A-Z][A-Z0-9_]{3,79})=([^\s`'\",;]{0,199}[^\s`'\",;.])")
_WSL = re.compile(r"(?i)\bwsl ?2?\b")


def recognises(text: Text) -> bool:
    """Whether a card, a version or a command stands in it."""
    facts = read(text)
    return facts.machine.cards is not None or bool(facts.machine.software or facts.commands)


def read(text: Text) -> Facts:
    said = text.text[:MAX_TEXT]
    cards, counted = named_cards(said)
    commands = tuple(dict.fromkeys(match[0] for match in _COMMAND.finditer(said)))[:MAX_COMMANDS]
    variables = (match for match in _VARIABLE.finditer(said) if not wished(match))
    return Facts(
        Machine(
            cards=cards,
            count_known=counted,
            software=dict(named_versions(said)),
            platform={"wsl2": True, "linux": True} if _WSL.search(said) else {},
            described=True,
        ),
        environment={match[1]: match[2] for match in variables},
        commands=tuple(("sh", "-c", one) for one in commands),
        flags=() if commands else tuple(_flags(said)),
        words=TARGET.sub(" ", said),  # a capability is a fact, and what kernels want of it is another one
    )


def _flags(text: str) -> Iterator[str]:
    for match in _FLAG.finditer(text):
        if not wished(match):
            yield from match[0].split(" ")


READER = Reader("a report in words", recognises, read, whole=True)

"""Lines such as `PyTorch version : 2.7.0+cu128`, which environment reports are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable

# What pastes carry in front: quote signs, list bullets, a log's own prefix.
_QUOTED = re.compile(r"^\s{0,8}(?:>\s?)*")
NOT_THERE = ("n/a", "could not collect", "none", "", "not set", "no cuda")


def unquoted(text: str) -> list[str]:
    """The lines without quote signs and without blanks at the end."""
    return [
        _QUOTED.sub("", line, count=1).rstrip() if ">" in line[:12] else line.rstrip()
        for line in text.splitlines()
    ]


def labelled(lines: Iterable[str]) -> dict[str, str]:
    """Label to value, the first of each; labels in small letters."""
    found: dict[str, str] = {}
    for line in lines:
        label, colon, value = line.partition(":")
        label = " ".join(label.split()).lower()
        if colon and 0 < len(label) <= 60:
            found.setdefault(label, value.strip())
    return found


def told(value: str | None) -> str | None:
    """A value, None where the tool says that it has none."""
    return None if value is None or value.strip().lower() in NOT_THERE else value.strip()

"""Nicknames of machines in a text, put as their cards' names."""

from __future__ import annotations

import re
from functools import cache

from gpu_gotchas.hardware.catalogue import UnknownName, find_gpu
from gpu_gotchas.hardware.nicknames import INSTANCE, instance, table


def plain(text: str) -> tuple[str, int | None]:
    """The text with every such name put as the card's, and how many cards an instance has that is named.

    A number only where one instance is named.
    """
    counts: list[int] = []

    def card(match: re.Match[str]) -> str:
        found = instance(match)
        if found is None:
            return match[0]
        counts.append(found[1])
        return f" {_said(found[0])} "

    text = INSTANCE.sub(card, text)
    text = _pattern().sub(lambda match: f" {_said(table()['names'][match[0].lower()])} ", text)
    return text, counts[0] if len(counts) == 1 else None


def _said(name: str) -> str:
    """As a reader of cards takes it: a target as it is, a card of the catalogue by its name."""
    try:
        return find_gpu(name).name
    except UnknownName:
        return name


@cache
def _pattern() -> re.Pattern[str]:
    names = sorted(table()["names"], key=len, reverse=True)
    return re.compile(rf"(?i)\b(?:{'|'.join(map(re.escape, names))})\b")

"""What people call a machine instead of its card: `DGX Spark`, `Strix Halo`, `g5.xlarge`.

The table is `data/nicknames.json`; for the sizes of a cloud's instances it names the page that lists them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_INSTANCE = re.compile(
    r"(?i)(?<![\w.-])(?:ml\.)?([a-z][0-9][a-z]{0,3})([.-])([a-z0-9]+(?:-[0-9]{1,2}g?)?)(?![\w-])"
)


def plain(text: str) -> tuple[str, int | None]:
    """The text with every such name put as the card's, and how many cards an instance has that is named.

    A number only where one instance is named.
    """
    counts: list[int] = []

    def card(match: re.Match[str]) -> str:
        found = _table()["instances"].get(match[1].lower())
        size = found[1].get(match[3].lower()) if found else None
        if found is None or size is None:
            return match[0]
        counts.append(size)
        return f" {_said(found[0])} "

    text = _INSTANCE.sub(card, text)
    text = _pattern().sub(lambda match: f" {_said(_table()['names'][match[0].lower()])} ", text)
    return text, counts[0] if len(counts) == 1 else None


def _said(name: str) -> str:
    """As a reader of cards takes it: a target as it is, a card of the catalogue by its name."""
    from gpu_gotchas.hardware.catalogue import UnknownName, find_gpu

    try:
        return find_gpu(name).name
    except UnknownName:
        return name


@cache
def _pattern() -> re.Pattern[str]:
    names = sorted(_table()["names"], key=len, reverse=True)
    return re.compile(rf"(?i)\b(?:{'|'.join(map(re.escape, names))})\b")


@cache
def _table() -> Mapping[str, Any]:
    text = (Path(__file__).parents[1] / "data" / "nicknames.json").read_text(encoding="utf-8")
    raw = json.loads(text)
    instances = {name: entry for cloud in raw["instances"] for name, entry in cloud["names"].items()}
    return {"names": raw["names"], "instances": instances}

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
# A GeForce by its number alone.
_GEFORCE = re.compile(r"(?:20[678]|30[5-9]|40[5-9]|50[5-9])0(?: ?ti| super)*")


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


def called(name: str) -> tuple[str, int | None]:
    """A card that is named alone, as the catalogue has it, and how many of it an instance has.

    `Spark` is what one machine's name ends in; `3090` is a GeForce; an architecture stands for its target
    where it has one. Any other name comes back as it is. Raises UnknownName for an architecture of several.
    """
    from gpu_gotchas.hardware.catalogue import UnknownName, gpus_called

    plain_name = " ".join(name.lower().replace("-", " ").split()).removeprefix("nvidia ").removeprefix("amd ")
    if match := _INSTANCE.fullmatch(name.strip()):
        found = _table()["instances"].get(match[1].lower())
        if found is not None and match[3].lower() in found[1]:
            return found[0], found[1][match[3].lower()]
    families = _table()["architectures"]
    several = families.get(plain_name, ())
    if len(several) > 1:
        raise UnknownName("card", name, (), f"it is an architecture of several targets: {', '.join(several)}")
    names = {**_table()["names"], **_table()["alone"]}
    exact = names.get(plain_name)
    if exact or several:
        return exact or several[0], None
    if _GEFORCE.fullmatch(plain_name):
        return f"rtx {plain_name}", None
    ending = {card for other, card in names.items() if other.rpartition(" ")[2] == plain_name}
    return (ending.pop() if len(ending) == 1 and not gpus_called(name) else name), None


def nicknames() -> tuple[str, ...]:
    """Every name of a machine, and every architecture."""
    return (*_table()["names"], *_table()["alone"], *_table()["architectures"])


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
    return {
        "names": raw["names"],
        "alone": raw["alone"],
        "architectures": raw["architectures"],
        "instances": instances,
    }

"""What people call a machine instead of its card: `DGX Spark`, `Strix Halo`, `g5.xlarge`, `Hopper`.

The table is `nicknames.json`; for the sizes of a cloud's instances it names the page that lists them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

INSTANCE = re.compile(
    r"(?i)(?<![\w.-])(?:ml\.)?([a-z][0-9][a-z]{0,3})([.-])([a-z0-9]+(?:-[0-9]{1,2}g?)?)(?![\w-])"
)
# A GeForce by its number alone.
_GEFORCE = re.compile(r"(?:20[678]|30[5-9]|40[5-9]|50[5-9])0(?: ?ti| super)*")


def called(name: str) -> tuple[str, int | None]:
    """A card that is named alone, as the catalogue has it, and how many of it an instance has.

    `Spark` is what one machine's name ends in; `3090` is a GeForce; an architecture stands for its target
    where it has one. Any other name comes back as it is. Raises UnknownName for an architecture of several.
    """
    from gpu_gotchas.hardware.catalogue import UnknownName, gpus_called

    plain = " ".join(name.lower().replace("-", " ").split()).removeprefix("nvidia ").removeprefix("amd ")
    if (match := INSTANCE.fullmatch(name.strip())) and (found := instance(match)):
        return found
    several = table()["architectures"].get(plain, ())
    if len(several) > 1:
        raise UnknownName("card", name, (), f"it is an architecture of several targets: {', '.join(several)}")
    names = {**table()["names"], **table()["alone"]}
    exact = names.get(plain)
    if exact or several:
        return exact or several[0], None
    if _GEFORCE.fullmatch(plain):
        return f"rtx {plain}", None
    ending = {card for other, card in names.items() if other.rpartition(" ")[2] == plain}
    return (ending.pop() if len(ending) == 1 and not gpus_called(name) else name), None


def instance(match: re.Match[str]) -> tuple[str, int] | None:
    """The card of a cloud's instance and how many it has, from a match of INSTANCE; None where not known."""
    card, sizes = table()["instances"].get(match[1].lower(), ("", {}))
    count = sizes.get(match[3].lower())
    return None if count is None else (card, count)


def nicknames() -> tuple[str, ...]:
    """Every name of a machine, and every architecture."""
    return (*table()["names"], *table()["alone"], *table()["architectures"])


@cache
def table() -> Mapping[str, Any]:
    """names: of machines, as they stand in a text too. alone: names that are only looked for by themselves.
    architectures: to their targets. instances: to a card and how many each size has."""
    text = Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
    raw = json.loads(text)
    instances = {name: entry for cloud in raw["instances"] for name, entry in cloud["names"].items()}
    return {**{key: raw[key] for key in ("names", "alone", "architectures")}, "instances": instances}

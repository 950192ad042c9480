"""Cards as people and drivers write them, found in a line. The first line asked loads the catalogue."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpu_gotchas.hardware.targets import Target

_NEEDED = (
    r"(?i)\b(?:requires?d?|needs?|at least|minimum|supports?|supported|only|below|than|for)"
    r"(?: (?:on|an?|the))*$"
)
_ALSO = {"dgx spark": "gb10"}
"""Machines that are called by their own name, with the card that is in them."""

_MAKERS = ("nvidia", "amd", "tesla")


def cards_in(line: str, *, full: bool) -> dict[str, Target]:
    """The cards named in a line; of `RTX 3090 Ti` that card alone, not the `RTX 3090` within it.

    full: only those named as the driver names them, and not as what is needed.
    """
    known = _card_keys()
    found: dict[str, Target] = {}
    for match in card_pattern().finditer(line):
        name, target = known[_squeezed(match[1])]
        if full:
            told = match[0].lower()
            if not told.startswith(_MAKERS) or _squeezed(told) != _squeezed(name):
                continue
            if re.search(_NEEDED, line[: match.start()].rstrip()):
                continue
        found[name] = target
    return found


def _squeezed(name: str) -> str:
    """`RTX 4090`, `rtx-4090` and `RTX4090` are one name."""
    return re.sub(r"[ _-]", "", name.lower())


@cache
def _card_keys() -> dict[str, tuple[str, Target]]:
    return {_squeezed(name): card for name, card in card_names().items()}


@cache
def card_names() -> dict[str, tuple[str, Target]]:
    """Names as people write them, in lower case, to the driver's name and the target."""
    from gpu_gotchas.hardware.catalogue import gpus

    found: dict[str, tuple[str, Target]] = {}
    for gpu in gpus():
        for name in gpu.names:
            short = re.sub(r"^(?:nvidia |amd )?(?:geforce |instinct )?", "", name.lower())
            found.setdefault(short, (gpu.name, gpu.target))
    found.update((also, found[name]) for also, name in _ALSO.items())
    families: dict[str, set[Target]] = {}
    for name, (_, target) in found.items():
        for end in range(1, len(name.split())):
            family = " ".join(name.split()[:end])
            if any(letter.isdigit() for letter in family):
                families.setdefault(family, set()).add(target)
    for family, alike in families.items():
        if len(alike) == 1 and family not in found:  # `H100`, whichever of them it is
            found[family] = (family.upper(), next(iter(alike)))
    return found


@cache
def card_pattern() -> re.Pattern[str]:
    names = sorted(card_names(), key=lambda name: (-len(name), name))
    spelt = "|".join("[ _-]?".join(map(re.escape, re.split(r"[ _-]", name))) for name in names)
    return re.compile(
        r"(?<![\w-])(?:\d{1,2}x ?)?(?:(?:nvidia|amd)[ _-])?(?:(?:geforce|instinct)[ _-])?"
        rf"({spelt})(?![\w-]| (?:Ti|SUPER|D|Ada)\b)",
        re.IGNORECASE,
    )

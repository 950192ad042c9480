"""What word ranking comes to, as data. `rank` finds it out."""

from __future__ import annotations

from typing import NamedTuple

THRESHOLD = 0.45
"""Below this a record is not named at all."""


class Ranked(NamedTuple):
    """score: 0 to 1. words: those that told most, strongest first."""

    record: str
    score: float
    words: tuple[str, ...]

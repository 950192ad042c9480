"""What word ranking comes to, as data. `rank` finds it out."""

from __future__ import annotations

from typing import NamedTuple

THRESHOLD = 1.5
"""Confidence below which a record is not named for its words alone: chosen on the reports that were built on,
each searched without the signature that it gave, and on logs with nothing to find."""


class Ranked(NamedTuple):
    """score: how much the record explains of the whole text, as in BM25, unbounded. confidence: the same,
    times the share that it explains of the line that it explains best; a mere warning counts less, and all
    count more where an exception says that something failed. words: those that told most, strongest first.
    line: the line that it explains best.
    """

    record: str
    score: float
    confidence: float
    words: tuple[str, ...]
    line: str = ""

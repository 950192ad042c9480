"""Lines that a terminal or a mail program broke, put together again.

A line as wide as the widest around it, or too wide for the next word, may go on in the next one: without a
blank where it was cut at a column, with one where it was broken between words. Where it can't be told, both
are given. Nothing is taken away: joined lines come beside the broken ones, under the number of the first, so
that a wrong guess costs nothing but a look.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpu_gotchas.search.lines import Line
from gpu_gotchas.search.prefixes import unwrap

_NARROWEST, _WIDEST = 40, 250
_MOST_PIECES = 12
_QUOTE = re.compile(r"(?:>\s?)+")


def joined(raw: Sequence[Line]) -> list[Line]:
    """The lines that these may have been before they were wrapped. raw: as they came, not cleaned."""
    return [line for _, line in joined_by_end(raw)]


def joined_by_end(raw: Sequence[Line]) -> list[tuple[int, Line]]:
    """The same, each behind the number of its last piece: what a piece says alone comes before it."""
    texts = [_QUOTE.sub("", line.text, count=1) if line.text.startswith(">") else line.text for line in raw]
    width = max(map(len, texts), default=0)
    if not _NARROWEST <= width <= _WIDEST:
        return []
    found: list[tuple[int, Line]] = []
    at = 0
    while at < len(texts) - 1:
        end = at
        while (
            end + 1 < len(texts)
            and end - at < _MOST_PIECES
            and raw[end + 1].number - raw[end].number <= 1
            and _goes_on(texts[end], texts[end + 1], width)
        ):
            end += 1
        if end > at:
            pieces = texts[at : end + 1]
            cut = "".join(piece if len(piece) == width else f"{piece} " for piece in pieces)
            wholes = dict.fromkeys((cut, " ".join(pieces)))
            found += [(raw[end].number, Line(raw[at].number, whole)) for whole in wholes]
        at = end + 1
    return found


def _goes_on(text: str, following: str, width: int) -> bool:
    if not text.strip() or not following.strip():
        return False
    if len(text) != width:
        first = following.split(maxsplit=1)[0]
        if following[0] == " " or len(text) <= width // 2 or len(text) + 1 + len(first) <= width:
            return False
    return not unwrap(following).logged  # what a logger begins is no rest of a line

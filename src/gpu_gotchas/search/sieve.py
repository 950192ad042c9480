"""Of a long log the lines that may tell something, those that read like trouble with a few around each.

What is left of a line without its digits is its shape, and most of a log has few shapes: each is looked at
once. A shape without a sign of trouble, and without what is left of any signature's literal, is dull, as is
every line that has it: nothing is missed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from gpu_gotchas.search.anchors import choose
from gpu_gotchas.search.lines import Line
from gpu_gotchas.search.trouble import signs_in

_DIGITS = {ord(digit): None for digit in "0123456789"}
_BEFORE, _BEHIND = 6, 3
_MOST_KEPT = 1 << 23
_DULL, _PRINTED, _TROUBLE = range(3)


class Sieve:
    """Feed it blocks of cleaned lines in order. literals: what signatures look for. sample: some lines."""

    def __init__(self, literals: Iterable[str], sample: Sequence[Line]) -> None:
        wanted = {literal.translate(_DIGITS).encode() for literal in literals}
        self._all = b"" in wanted
        text = "\n".join(line.text for line in sample).translate(_DIGITS).encode()
        self._anchors = choose(wanted - {b""}, text)
        self._kept: dict[str, int] = {}
        self._size = 0
        self._before: deque[Line] = deque(maxlen=_BEFORE)
        self._behind = 0

    def telling(self, lines: Sequence[Line]) -> list[Line]:
        """Those of a block that may tell something. Lines before trouble, which tell nothing alone, may come
        behind one that a signature looks for."""
        shapes = "\n".join(line.text for line in lines).translate(_DIGITS).split("\n")
        new = set(shapes) - self._kept.keys()
        if new:
            self._judge(new)
        found: list[Line] = []
        for line, shape in zip(lines, shapes, strict=True):
            told = self._kept[shape]
            if told == _TROUBLE:
                found += (*self._before, line)
                self._before.clear()
                self._behind = _BEHIND
            elif told or self._behind:
                found.append(line)
                self._behind = max(0, self._behind - 1)
            else:
                self._before.append(line)
        return found

    def _judge(self, new: set[str]) -> None:
        text = "\n".join(new)
        data = text.encode()
        literals = [one for anchor, held in self._anchors.items() if anchor in data for one in held]
        present = [literal.decode() for literal in literals if literal in data]
        signs = signs_in(text)
        if self._size > _MOST_KEPT:
            self._kept = {shape: told for shape, told in self._kept.items() if told}
            self._size = 0
        self._size += len(data) + 64 * len(new)
        for shape in new:
            lowered = shape.lower()
            if any(sign in lowered for sign in signs):
                self._kept[shape] = _TROUBLE
            else:
                printed = self._all or any(literal in shape for literal in present)
                self._kept[shape] = _PRINTED if printed else _DULL

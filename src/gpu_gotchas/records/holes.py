"""The typed holes of a line template: which characters each one takes.

A set of positions in a line is a whole number: bit d stands for the place with d characters after it. With
that, all ways to fill a hole are followed at once by a few operations on whole numbers, and a line costs
the same few operations whatever it holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_ZERO, _ONE = b"0", b"1"


@dataclass(frozen=True)
class Hole:
    """takes: a class of characters, of which a hole takes at least one.

    prefix: what may stand before them (a sign, `0x`). lazy: takes as little as it can instead of as much.
    name: under which its value is returned, None when the value does not matter.
    """

    kind: str
    takes: str
    prefix: str = ""
    lazy: bool = False
    name: str | None = None

    @cached_property
    def _run(self) -> re.Pattern[str]:
        return re.compile(f"{self.takes}+")

    def places(self, line: str) -> int:
        """Which characters of the line this hole takes; bit d is the character with d characters after it."""
        flags = bytearray(_ZERO * len(line))
        for run in self._run.finditer(line):
            flags[run.start() : run.end()] = _ONE * (run.end() - run.start())
        return int(flags or _ZERO, 2)

    def before(self, line: str, after: int) -> int:
        """The places from which the hole, once filled, leads to a place in `after`."""
        if self.lazy:
            return _all_before_the_last(after, len(line))
        places = self.places(line)
        one = (after & places) << 1
        many = (((one & places) + places) ^ places) | one
        return many | _step_over(self.prefix, line, many)

    def end(self, line: str, start: int, after: int) -> int:
        """Where a hole that begins at index `start` ends, given the places from which the rest matches."""
        size = len(line)
        if self.lazy:
            reachable = after & ((1 << (size - start)) - 1)
            return size - (reachable.bit_length() - 1)
        if self.prefix and line.startswith(self.prefix, start):
            end = self._longest(line, start + len(self.prefix), after)
            if end is not None:
                return end
        end = self._longest(line, start, after)
        assert end is not None, "before() said that the hole can begin here"
        return end

    def _longest(self, line: str, start: int, after: int) -> int | None:
        run = self._run.match(line, start)
        if run is None:
            return None
        behind = len(line) - run.end()
        reachable = after >> behind
        if not reachable:
            return None
        lowest = (reachable & -reachable).bit_length() - 1
        end = len(line) - (behind + lowest)
        return end if end > start else None


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that must stand as it is."""

    text: str

    def before(self, line: str, after: int) -> int:
        return _step_over(self.text, line, after)


def _step_over(text: str, line: str, after: int) -> int:
    """The places where `text` begins and ends at a place in `after`."""
    if not text or not after:
        return 0
    flags = bytearray(_ZERO * (len(line) + 1))
    at = line.find(text)
    while at >= 0:
        flags[at] = 49  # ord("1")
        at = line.find(text, at + 1)
    return int(flags, 2) & (after << len(text))


def _all_before_the_last(places: int, size: int) -> int:
    """Every place with at least one character between it and the last of `places`."""
    last = places & -places
    return ((1 << (size + 1)) - 1) & ~(2 * last - 1) if places else 0


HOLES = {
    hole.kind: hole
    for hole in (
        Hole("int", "[0-9]", prefix="-"),
        Hole("hex", "[0-9a-fA-F]", prefix="0x"),
        Hole("path", r"[^\s\"'<>|]"),
        Hole("word", r"\S"),
        Hole("any", ".", lazy=True),
    )
}

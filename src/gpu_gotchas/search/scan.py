"""Every known gotcha in a log of any size, in constant memory, many times faster than line by line.

A log's lines differ mostly in numbers: without digits and the like few shapes are left, and each shape is
looked at once. Reducing a whole block is one `translate`, so that most of a log costs little more than being
read. Whatever a line holds once it is cleaned, its shape holds the reduced form of: no signature is missed.
But lines that were wrapped at a column are not joined, as `search` does, and of what may have failed before
only the commonest is noticed.
"""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gpu_gotchas.search.anchors import choose
from gpu_gotchas.search.certain import against
from gpu_gotchas.search.course import SCANNED, Course
from gpu_gotchas.search.evidence import facts
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.lines import LONGEST_LINE, OVERLAP, Line, decoder, encoding_of, pieces
from gpu_gotchas.search.match import Hit, Progress
from gpu_gotchas.search.normalise import clean

BLOCK = 1 << 20
"""Bytes that are searched at once; up to four times as many are held for a line without an end."""

_DROPPED = bytes({*b"0123456789abcdef \"';[", *range(0x20), 0x6D, 0x7F, *range(0x80, 0x100)} - {0x0A})
"""What shapes lack: numbers and hexadecimal names, blanks, what makes up colours, control characters, and all
that is no ASCII with the quotes that some of it stands for. What `clean` takes out is among it."""

_ESCAPE = re.compile(rb"\x1b(?!\[[0-9;]*m)")
_ENTITY = re.compile(rb"&[^ \n;]{0,256};")
"""In a line with one of these more than that has to go: it is cleaned before it is reduced."""

_MOST_SEEN = 1 << 23
_MOST_PLACES = 100
_MOST_HEAD = 200
"""Lines, from the start, that say on what a log was written: card, versions, settings."""

Key = tuple[int, int]
"""(record, signature): positions in the index."""

Wish = tuple[Key, int]
"""A template of a signature that a line may meet: its key, and the position in it."""

_COURSE: Wish = ((-1, -1), 0)
"""The wish for lines that may be the reason of what comes later, and how many lines above tell of them."""
_ABOVE_A_LINK, _ABOVE_A_HIT = 8, 60


class Finding(NamedTuple):
    """A gotcha in a log. hit: the first. places: line numbers of the first hits. met: how many there were.

    against: what keeps it from being sure, in words; with anything here `search` would not say *this is it*.
    """

    hit: Hit
    places: tuple[int, ...]
    met: int
    against: tuple[str, ...] = ()


@dataclass(slots=True)
class _Followed:
    progress: Progress
    first: Hit | None = None
    places: list[int] = field(default_factory=list)
    count: int = 0
    last: int = 0

    def meet(self, position: int, line: Line) -> None:
        self.progress.meet(position, line)
        hit = self.progress.hit()
        if hit is None:
            return
        self.first = self.first or hit
        if line.number != self.last:  # pieces of a long line overlap
            self.count += 1
            if len(self.places) < _MOST_PLACES:
                self.places.append(hit.lines[0].number)
        self.last = line.number
        self.progress.start_again()


class Scanner:
    """Feed it the chunks of one log, then `finish` and ask for `findings`."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._wishes = _wishes(index)
        self._anchors: dict[bytes, set[bytes]] | None = None
        self._decoder: codecs.IncrementalDecoder | None = None
        self._rest = b""
        self._lines = 0
        self._dull: set[bytes] = set()
        self._dull_size = 0
        self._telling: dict[bytes, tuple[Wish, ...]] = {}
        self._telling_size = 0
        self._followed: dict[Key, _Followed] = {}
        self._head: list[str] = []
        self._course = Course()
        self._told = 0

    def feed(self, chunk: bytes) -> None:
        self._rest += self._decoded(chunk) if self._decoder else chunk
        if len(self._rest) >= BLOCK:
            self._begin()
            end = start = self._rest.rfind(b"\n") + 1
            if not end and len(self._rest) >= 4 * BLOCK:
                end = len(self._rest)
                start = end - OVERLAP
            if end:
                block, self._rest = self._rest[:end], self._rest[start:]
                self._search(block)

    def finish(self) -> None:
        """The last block, whole."""
        self._begin()
        block, self._rest = self._rest, b""
        self._search(block)

    def findings(self) -> tuple[Finding, ...]:
        """One for each record whose signature was met, by their first places.

        A hit that lies where a more specific one of another record does is left to that.
        """
        best: dict[str, Finding] = {}
        for key in sorted(self._followed):
            followed = self._followed[key]
            if followed.first is None:
                continue
            hit = followed.first._replace(context=followed.progress.context_met)
            if hit.generic and not hit.context:
                continue
            held = best.get(hit.record)
            if held is None or (hit.proven, *hit.rank) > (held.hit.proven, *held.hit.rank):
                best[hit.record] = Finding(hit, tuple(followed.places), followed.count)
        left = [one for one in best.values() if not any(_covers(other, one) for other in best.values())]
        machine = facts(
            [*self._head, *(seen.text for one in left for seen in one.hit.lines)], self._index.settings
        )
        told = [
            one._replace(against=against(one.hit, self._entry(one), machine, self._course)) for one in left
        ]
        return tuple(sorted(told, key=lambda one: (one.places[0], one.hit.record)))

    def _entry(self, finding: Finding) -> Mapping[str, Any]:
        entry = self._index.record(finding.hit.record)
        assert entry is not None, f"the index lists {finding.hit.record} and has no entry for it"
        return entry

    def _begin(self) -> None:
        """With the first block at hand: its encoding, and the anchors that suit it."""
        if self._anchors is None:
            encoding = encoding_of(self._rest, final=True) or "utf-8-sig"
            if encoding.startswith("utf-16"):
                self._decoder = decoder(encoding)
                self._rest = self._decoded(self._rest)
            head = self._rest[: BLOCK // 8].decode("utf-8", "replace").split("\n")[:_MOST_HEAD]
            self._head = [clean(line[:LONGEST_LINE]) for line in head]
            shapes = b"\n".join(set(_reduce(self._rest[:BLOCK]).split(b"\n")))
            self._anchors = choose(filter(None, self._wishes), shapes)

    def _decoded(self, chunk: bytes) -> bytes:
        assert self._decoder is not None
        return self._decoder.decode(chunk).encode("utf-8", "replace")

    def _search(self, block: bytes) -> None:
        if self._telling_size > _MOST_SEEN:
            self._telling, self._telling_size = {}, 0
        shapes = _reduce(_without_the_odd(block)).split(b"\n")
        different = set(shapes)
        self._judge(different - self._dull - self._telling.keys())
        if not different.isdisjoint(self._telling):
            lines = block.split(b"\n")
            for at, shape in enumerate(shapes):
                if shape in self._telling:
                    self._hold(self._telling[shape], at, lines)
        self._lines += len(shapes) - 1

    def _judge(self, shapes: set[bytes]) -> None:
        """Which of these new shapes may be of lines that meet a template."""
        assert self._anchors is not None
        wishes: dict[bytes, list[Wish]] = defaultdict(list)
        text = b"\n" + b"\n".join(shapes) + b"\n"
        for anchor, reduced in self._anchors.items():
            at = text.find(anchor)
            while at >= 0:
                start, stop = text.rfind(b"\n", 0, at) + 1, text.find(b"\n", at)
                shape = text[start:stop]
                for literal in reduced:
                    if literal in shape:
                        wishes[shape] += self._wishes[literal]
                at = text.find(anchor, stop)
        if b"" in self._wishes:  # templates of nothing but what shapes lack
            for shape in shapes:
                wishes[shape] += self._wishes[b""]
        self._telling.update((shape, tuple(sorted(set(found)))) for shape, found in wishes.items())
        self._telling_size += sum(map(len, wishes)) + 256 * len(wishes)
        dull = shapes - wishes.keys()
        self._dull_size += sum(map(len, dull)) + 64 * len(dull)
        if self._dull_size > _MOST_SEEN:
            self._dull, self._dull_size = set(), 0
        self._dull |= dull

    def _hold(self, wishes: tuple[Wish, ...], at: int, lines: Sequence[bytes]) -> None:
        """Holds a line of a block against the templates that it may meet."""
        if wishes[0] == _COURSE:
            wishes = wishes[1:]
            if not self._course.full:
                self._tell(at, lines, _ABOVE_A_LINK)
        for key, _ in wishes:
            if key not in self._followed:
                self._followed[key] = _Followed(Progress.of(self._index, *key))
        if not any(self._followed[key].progress.awaits(position) for key, position in wishes):
            return
        new = [followed for key, _ in wishes if (followed := self._followed[key]).first is None]
        for line in _lines_in(lines[at], self._lines + at + 1):
            for key, position in wishes:
                self._followed[key].meet(position, line)
        if any(followed.first for followed in new):
            self._tell(at, lines, _ABOVE_A_HIT)

    def _tell(self, at: int, lines: Sequence[bytes], above: int) -> None:
        """What a line and some above it say of the course of things; each once, and in order."""
        for place in range(max(at - above, self._told - self._lines, 0), at + 1):
            self._course.feed(_lines_in(lines[place], self._lines + place + 1))
        self._told = self._lines + at + 1


def _covers(one: Finding, other: Finding) -> bool:
    if one.hit.record == other.hit.record or one.hit.rank <= other.hit.rank:
        return False
    return set(other.places) <= set(one.places)


def _lines_in(raw: bytes, number: int) -> list[Line]:
    return [
        Line(number, clean(piece.decode("utf-8", "replace")))
        for part in raw.split(b"\r")
        for piece in pieces(part)
    ]


def _without_the_odd(block: bytes) -> bytes:
    """The block, those lines cleaned of which dropping single characters does not do it."""
    odd = [pattern for sign, pattern in ((b"\x1b", _ESCAPE), (b"&", _ENTITY)) if sign in block]
    if not any(pattern.search(block) for pattern in odd):
        return block
    return b"\n".join(
        b"\r".join(line.text.encode("utf-8", "replace") for line in _lines_in(raw, 0))
        if any(pattern.search(raw) for pattern in odd)
        else raw
        for raw in block.split(b"\n")
    )


def _reduce(text: bytes) -> bytes:
    return text.translate(None, _DROPPED)


def _wishes(index: Index) -> dict[bytes, tuple[Wish, ...]]:
    """From what is left of a literal to the templates that ask for it."""
    found: dict[bytes, list[Wish]] = defaultdict(list)
    for held in index.literals.values():
        for literal, places in held:
            reduced = _reduce(literal.encode())
            found[reduced] += [((record, signature), position) for record, signature, position in places]
    for sign in SCANNED:
        found[_reduce(sign.encode())].append(_COURSE)
    return {reduced: tuple(wishes) for reduced, wishes in found.items()}

"""Signatures over a stream of lines, in bounded memory and linear time.

One word of each template is looked for among the words of a whole block of lines, then the substring that
holds it; only a line with that substring is held against the template itself. Of each signature no more is
kept than the latest way to have met its first n templates, for every n.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gpu_gotchas.records.templates import Template
from gpu_gotchas.search.answer import Seen
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.lines import Line

WINDOW = 2_000
"""Lines within which all templates of a signature must be met. Interleaved ranks fit, two runs do not."""


class Hit(NamedTuple):
    """A signature that was met. lines: one for each template. context: those of its context that were met.

    shared: it declares context, as other causes print the same; without any of it met it can't be certain.
    length: characters of its templates that are no holes, which is how specific it is.
    generic: its words may stand in any log, so that it needs its context to mean anything.
    """

    record: str
    signature: int
    proven: bool
    generic: bool
    shared: bool
    length: int
    lines: tuple[Seen, ...]
    context: tuple[Seen, ...]

    @property
    def rank(self) -> tuple[int, int]:
        """How specific it is: context first, then length."""
        return len(self.context), self.length


class Progress:
    """How far one signature has been met. partial: for each n the latest way to meet the first n."""

    @classmethod
    def of(cls, index: Index, record: int, signature: int) -> Progress:
        """Of the signature at these positions in the index."""
        name = index.ids[record]
        entry = index.record(name)
        assert entry is not None, f"the index lists {name} and has no entry for it"
        return cls(name, signature, entry["signatures"][signature])

    def __init__(self, record: str, number: int, spec: dict[str, Any]) -> None:
        self.record = record
        self.number = number
        self.spec = spec
        self.templates = [Template.parse(text) for text in spec["lines"]]
        self.context_templates = [Template.parse(text) for text in spec["context"]]
        self.partial: list[tuple[Seen, ...] | None] = [None] * len(self.templates)
        self.context: dict[int, Seen] = {}
        self.complete: tuple[Seen, ...] | None = None

    def awaits(self, position: int) -> bool:
        """Whether a line that meets this template would change anything."""
        if position < 0:
            return ~position not in self.context
        return self.complete is None and (position == 0 or self.partial[position - 1] is not None)

    def meet(self, position: int, line: Line) -> None:
        if position < 0:
            self._meet_context(~position, line)
        elif self.complete is None or _is_code(self.complete[-1].text):
            self._meet_template(position, line)

    def _meet_context(self, position: int, line: Line) -> None:
        if position not in self.context:
            text = self.spec["context"][position]
            holes = self.context_templates[position].find_normal(line.text)
            if holes is not None:
                self.context[position] = Seen(line.number, line.text, text, holes)

    def _meet_template(self, position: int, line: Line) -> None:
        before = self.partial[position - 1] if position else ()
        if before is None or (before and line.number - before[0].number >= WINDOW):
            return
        holes = self.templates[position].find_normal(line.text)
        if holes is None:
            return
        met = (*before, Seen(line.number, line.text, self.spec["lines"][position], holes))
        self.partial[position] = met
        if len(met) == len(self.templates):
            self.complete = met

    def hit(self) -> Hit | None:
        if self.complete is None:
            return None
        return Hit(
            self.record,
            self.number,
            proven=self.spec["basis"] == "proven",
            generic=self.spec["generic"],
            shared=bool(self.spec["context"]),
            length=self.spec["length"],
            lines=self.complete,
            context=self.context_met,
        )

    @property
    def context_met(self) -> tuple[Seen, ...]:
        return tuple(self.context[position] for position in sorted(self.context))

    def start_again(self) -> None:
        """After a hit: what context was met stays."""
        self.partial = [None] * len(self.templates)
        self.complete = None


def _is_code(text: str) -> bool:
    """Whether it is the line of a program that raises an error: the error itself comes below it."""
    return re.search(r"(?:^|\s)raise \w+\(", text) is not None


class Matcher:
    """Feed it blocks of cleaned lines (blanks made one), in order; ask for `hits` at any time."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._progress: dict[tuple[int, int], Progress] = {}

    def feed(self, lines: Sequence[Line]) -> None:
        block = "\n".join([line.text for line in lines])
        literals = self._index.literals
        words = literals.keys() & {"", *block.split()}
        present = [found for word in words for found in literals[word] if found[0] in block]
        if not present:
            return
        for line in lines:
            places = [place for literal, found in present if literal in line.text for place in found]
            for record, signature, position in sorted(places):
                self._of(record, signature).meet(position, line)

    def hits(self) -> tuple[Hit, ...]:
        """Every signature met so far, by record."""
        found = (self._progress[key].hit() for key in sorted(self._progress))
        return tuple(hit for hit in found if hit is not None)

    def _of(self, record: int, signature: int) -> Progress:
        key = (record, signature)
        if key not in self._progress:
            self._progress[key] = Progress.of(self._index, record, signature)
        return self._progress[key]


def best_of_each(hits: Iterable[Hit]) -> dict[str, Hit]:
    """For each record the hit that says most: proven before reported, then the more specific."""
    best: dict[str, Hit] = {}
    for hit in hits:
        held = best.get(hit.record)
        if held is None or (hit.proven, *hit.rank) > (held.proven, *held.rank):
            best[hit.record] = hit
    return best

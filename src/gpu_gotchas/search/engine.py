"""From text to an answer: the parts of search in their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.search.advice import said_in, ways, what_is_lacking, what_to_collect
from gpu_gotchas.search.answer import Answer
from gpu_gotchas.search.assessment import NOTHING_KNOWN, Assessment
from gpu_gotchas.search.beside import said_beside
from gpu_gotchas.search.certain import strange_package
from gpu_gotchas.search.course import TELLING, Course
from gpu_gotchas.search.decide import Found, decide
from gpu_gotchas.search.gist import Gist
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.joining import joined_by_end
from gpu_gotchas.search.lines import Line, LineSplitter
from gpu_gotchas.search.match import Hit, Matcher, best_of_each
from gpu_gotchas.search.normalise import clean
from gpu_gotchas.search.prefixes import unwrap
from gpu_gotchas.search.questions import Asked, failing_rank, questions
from gpu_gotchas.search.rank import rank
from gpu_gotchas.search.ranked import Ranked
from gpu_gotchas.search.store import open_index

if TYPE_CHECKING:
    from gpu_gotchas.hardware.machine import Machine
    from gpu_gotchas.search.sieve import Sieve

_BLOCK = 256
_MANY = 20_000
"""Lines that are all read in full. Of a longer log only those that may tell something are, and its end."""
_MOST_RANKED = 8
_MOST_JOINED = 20


def _in_order(cleaned: Sequence[Line], whole: Sequence[tuple[int, Line]]) -> list[Line]:
    """Joined lines behind their last piece."""
    placed = [*((line.number, line) for line in cleaned), *whole]
    return [line for _, line in sorted(placed, key=lambda one: one[0])]


class Search:
    """One search over a stream. Feed it lines as they come, ask for the answer at any time."""

    def __init__(self, index: Index, *, watching: bool = False) -> None:
        """watching: whether `news` is asked, which costs a second look at each line."""
        self._index = index
        self._matcher = Matcher(index)
        self._watcher = Matcher(index) if watching else None
        self._seen: set[tuple[str, int]] = set()
        self._gist = Gist()
        self._course = Course()
        self._waiting: list[Line] = []
        self._held: list[Line] = []
        self._count = 0
        self._sieve: Sieve | None = None
        self.empty = True

    def news(self) -> bool:
        """Whether a proven signature was met since this was last asked. Nothing that waits is disturbed."""
        hits = self._watcher.hits() if self._watcher else ()
        met = {(hit.record, hit.signature) for hit in hits if hit.proven}
        new, self._seen = met - self._seen, met
        return bool(new)

    def feed(self, lines: Iterable[Line]) -> None:
        if self._watcher is not None:
            lines = list(lines)
            self._watcher.feed([Line(line.number, clean(line.text)) for line in lines])
        for line in lines:
            self._waiting.append(line)
            if len(self._waiting) >= _BLOCK:
                self._pass_on()

    def answer(self, machine: Machine | None = None) -> Answer:
        """What the lines so far come to. machine: what is known beside the text; it outweighs the text."""
        self._flush()
        index = self._index
        hits = [hit for hit in self._matcher.hits() if hit.context or not hit.generic]
        best = best_of_each(hits)
        known = self._known(machine)
        asked = questions(self._gist.kept, self._gist.count)
        ranked = {one.record: one for one in self._rank(asked, known)}
        said = said_in(self._gist.facts)
        names = dict.fromkeys([*best, *list(ranked)[:_MOST_RANKED]])
        first_rank = failing_rank(self._gist.kept) if len(best) > 1 else None
        beside = said_beside(self._gist.kept, self._gist.count)
        all_found = [
            self._found(name, known, best.get(name), ranked.get(name), first_rank, said)._replace(
                beside=beside
            )
            for name in names
        ]
        by_signature = [one for one in all_found if one.hit]
        by_words = [one for one in all_found if not one.hit]
        successors = {}
        for found in (*by_signature, *by_words):
            name = found.entry["withdrawn"] and found.entry["withdrawn"]["successor"]
            entry = index.record(name) if name else None
            if entry is not None:
                successors[name] = entry
        answer = decide(by_signature, by_words, successors, index.date)
        if answer.results:
            return answer
        lacks = what_is_lacking(self._gist.kept, asked)
        return replace(answer, lacks=lacks, collect=what_to_collect(self._gist.facts, asked, known, lacks))

    def _rank(self, asked: Asked, machine: Machine | None) -> tuple[Ranked, ...]:
        cards = (machine and machine.cards) or ()
        return rank(self._index, asked, {card.target.name for card in cards if card.target})

    def _known(self, machine: Machine | None) -> Machine | None:
        from gpu_gotchas.search.evidence import facts, merge

        return merge(machine, facts(self._gist.facts, self._index.settings))

    def _found(
        self,
        name: str,
        machine: Machine | None,
        hit: Hit | None,
        ranked: Ranked | None,
        first_rank: str | None,
        said: Set[str],
    ) -> Found:
        entry = self._index.record(name)
        assert entry is not None, f"the index names {name} and has no entry for it"
        rank = unwrap(hit.lines[0].text).rank if hit and first_rank else None
        follows = rank is not None and rank != first_rank
        assessment = NOTHING_KNOWN
        if machine is not None:
            from gpu_gotchas.search.conditions import (
                assess,
            )  # loads the catalogue: only with something to ask

            assessment = assess(entry["affects"], machine)
        strange = hit and strange_package(hit, entry["affects"], self._course.around(hit))
        if strange:
            assessment = Assessment(Truth.NO, assessment.agreed, (*assessment.disagreed, strange))
        earlier = self._course.before(hit, entry) if hit else None
        return Found(entry, assessment, hit, ranked, follows, earlier=earlier, ways=ways(entry, said))

    def _pass_on(self) -> None:
        """A block that is full. Of a long log the last one is held back, so that its end is read in full."""
        self._count += len(self._waiting)
        if self._count <= _MANY:
            self._flush()
            return
        held, self._held, self._waiting = self._held, self._waiting, []
        if not held:
            return
        cleaned = [Line(line.number, clean(line.text)) for line in held]
        if self._sieve is None:
            from gpu_gotchas.search.sieve import Sieve

            literals = (literal for held in self._index.literals.values() for literal, _ in held)
            self._sieve = Sieve((*literals, *TELLING), cleaned)
        self._take(self._sieve.telling(cleaned))

    def _flush(self) -> None:
        waiting, self._held, self._waiting = [*self._held, *self._waiting], [], []
        self._take(waiting)

    def _take(self, waiting: Sequence[Line]) -> None:
        if waiting:
            cleaned = [Line(line.number, clean(line.text)) for line in waiting]
            self.empty = self.empty and not any(line.text for line in cleaned)
            whole = [(end, Line(line.number, clean(line.text))) for end, line in joined_by_end(waiting)]
            self._matcher.feed(_in_order(cleaned, whole) if whole else cleaned)
            self._course.feed(cleaned)  # a wrong guess of what was one line may not count against anything
            self._gist.feed(cleaned)
            self._gist.feed(line for _, line in whole[:_MOST_JOINED])


def search(text: str | bytes, machine: Machine | None = None, *, index: Index | None = None) -> Answer:
    """Which gotcha a text is about.

    text: an error, a log, or a few words; as bytes, as they stand in a file. An empty one is *not known*.
    machine: what is known of the one it comes from, such as `evidence.machine_with("sm_86")`. index: where
    to search; by default the one that ships with the package. Raises TypeError for what is no text or no
    machine, IndexUnusable.
    """
    if not isinstance(text, str | bytes):
        raise TypeError(
            f"search takes a text, as str or bytes, and was given {type(text).__name__}: {text!r:.80}"
        )
    if machine is not None and not hasattr(machine, "cards"):
        raise TypeError(
            f"machine is a Machine, such as gpu_gotchas.search.evidence.machine_with('sm_86') makes, and not "
            f"{type(machine).__name__}"
        )
    run = Search(index or open_index())
    splitter = LineSplitter()
    run.feed(splitter.feed(text) if isinstance(text, bytes) else splitter.feed_text(text))
    run.feed(splitter.finish())
    return run.answer(machine)

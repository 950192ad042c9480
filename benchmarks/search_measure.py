"""Searching for reports whose answer is known, and what that comes to in numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tests.corpus import Report
from tests.corpus.noise import noisy

from gpu_gotchas.search.answer import Verdict
from gpu_gotchas.search.engine import Search
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.lines import lines_of
from gpu_gotchas.search.strength import Strength


@dataclass(frozen=True, slots=True)
class Case:
    """A text as it arrives, and what it is about. expected: None where nothing in the base is."""

    name: str
    family: str
    kind: str
    text: bytes
    expected: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came back for a case: ids best first, and whether the first was said to be it.

    strength: how far a likeness was said to be believed.
    """

    case: Case
    found: tuple[str, ...]
    certain: bool = False
    strength: str | None = None

    @property
    def first(self) -> bool:
        return self.case.expected is not None and self.found[:1] == (self.case.expected,)

    @property
    def in_three(self) -> bool:
        return self.case.expected in self.found[:3]

    @property
    def wrong(self) -> bool:
        """Something is named first that the text is not about, however carefully."""
        return bool(self.found) and not self.first

    @property
    def surely_wrong(self) -> bool:
        return self.certain and not self.first


@dataclass(frozen=True, slots=True)
class Share:
    """A count out of a number, with its Wilson interval at 95 percent."""

    count: int
    of: int

    @property
    def value(self) -> float:
        return self.count / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        if not self.of:
            return 0.0, 1.0
        z = 1.96
        middle = self.value + z * z / (2 * self.of)
        spread = z * math.sqrt(self.value * (1 - self.value) / self.of + z * z / (4 * self.of**2))
        scale = 1 + z * z / self.of
        return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.3f}  [{low:.3f}, {high:.3f}]  {self.count} of {self.of}"


def cases(reports: Iterable[Report], where: dict[str, str], kind: str = "clean") -> list[Case]:
    """where: from a cause to what covers it."""
    return [
        Case(
            report.id,
            report.family,
            kind,
            noisy(kind, report.error_text, report.id),
            where.get(report.cause) if report.cause else None,
        )
        for report in reports
    ]


def search_all(index: Index, asked: Sequence[Case]) -> list[Outcome]:
    outcomes = []
    for case in asked:
        run = Search(index)
        run.feed(lines_of([case.text]))
        answer = run.answer()
        found = tuple(result.id for result in answer.results)
        strength = answer.strength and answer.strength.value
        outcomes.append(Outcome(case, found, answer.verdict is Verdict.THIS_IS_IT, strength))
    return outcomes


def ask_baseline(baseline: Callable[[str], list[str]], asked: Sequence[Case]) -> list[Outcome]:
    return [Outcome(case, tuple(baseline(case.text.decode("utf-8", "replace")))) for case in asked]


def known(outcomes: Iterable[Outcome]) -> dict[str, Share]:
    """Of texts whose gotcha is in the base."""
    seen = [outcome for outcome in outcomes if outcome.case.expected is not None]
    certain = [outcome for outcome in seen if outcome.certain]
    total = len(seen)
    return {
        "recall at 1": Share(sum(outcome.first for outcome in seen), total),
        "recall at 3": Share(sum(outcome.in_three for outcome in seen), total),
        "coverage": Share(sum(bool(outcome.found) for outcome in seen), total),
        "another one named first": Share(sum(outcome.wrong for outcome in seen), total),
        "this is it": Share(len(certain), total),
        "precision of this is it": Share(sum(outcome.first for outcome in certain), len(certain)),
        "wrong this is it": Share(sum(outcome.surely_wrong for outcome in seen), total),
        **{f"right of {one.value} likenesses": _right(seen, one.value) for one in Strength},
    }


def _right(outcomes: Sequence[Outcome], strength: str) -> Share:
    of = [outcome for outcome in outcomes if outcome.strength == strength]
    return Share(sum(outcome.first for outcome in of), len(of))


def false_alarms(outcomes: Sequence[Outcome]) -> dict[str, Share]:
    """Of texts with nothing in the base to be found."""
    return {
        "named at all": Share(sum(bool(outcome.found) for outcome in outcomes), len(outcomes)),
        "a strong likeness": Share(
            sum(outcome.strength == Strength.STRONG.value for outcome in outcomes), len(outcomes)
        ),
        "said to be it": Share(sum(outcome.certain for outcome in outcomes), len(outcomes)),
    }


def confusions(outcomes: Iterable[Outcome]) -> list[tuple[str, str, int]]:
    """(what it is, what was named first instead, how often), most often first."""
    counted = Counter(
        (outcome.case.expected, outcome.found[0])
        for outcome in outcomes
        if outcome.case.expected is not None and outcome.wrong
    )
    return sorted(
        ((is_, named, n) for (is_, named), n in counted.items()), key=lambda row: (-row[2], row[:2])
    )

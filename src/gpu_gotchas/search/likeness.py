"""How like a text is to each public report that the base was built on.

A report is a vector: every term of its lines (`words.terms`), weighed by the line that it stands in and by
its rarity among reports, the whole made one long. Two texts are as like as the cosine between theirs, so that
a long report is no more like everything than a short one. Several reports of a record speak louder than one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from gpu_gotchas.search.index import Index
from gpu_gotchas.search.questions import Question
from gpu_gotchas.search.words import is_common, terms

SCALE = 1000
"""What the index keeps of a vector's parts: thousandths."""

_COMMON = 0.4
_MOST_QUESTIONS = 60
_MOST_TOGETHER = 3


def direction(questions: Iterable[Question], held: Callable[[str], int], count: int) -> dict[str, float]:
    """The vector of a text. held: in how many of `count` reports a term is."""
    parts: dict[str, float] = {}
    for question in questions:
        for term in terms(question.text):
            parts[term] = max(parts.get(term, 0.0), question.weight)
    for term in parts:
        among = held(term)
        parts[term] *= math.log(1 + (count - among + 0.5) / (among + 0.5)) * (
            _COMMON if is_common(term) else 1
        )
    length = math.sqrt(sum(part * part for part in parts.values()))
    return {term: part / length for term, part in parts.items()} if length else {}


class Alike(NamedTuple):
    """likest: to the likest report of a record, 0 to 1. together: the sum over its three likest."""

    likest: float
    together: float


NOT_ALIKE = Alike(0.0, 0.0)


def likenesses(index: Index, asked: Sequence[Question]) -> dict[str, Alike]:
    """For each record that a report is known of, how like the text is to its reports."""
    heaviest = sorted(asked, key=lambda question: -question.weight)[:_MOST_QUESTIONS]
    held = {term: index.heard(term) for question in heaviest for term in terms(question.text)}
    found: dict[int, float] = defaultdict(float)
    vector = direction(heaviest, lambda term: len(held[term]), len(index.reports))
    for term, part in vector.items():
        for report, weight in held[term]:
            found[report] += part * weight / SCALE
    by_record: dict[str, list[float]] = defaultdict(list)
    for report, likeness in found.items():
        by_record[index.ids[index.reports[report]]].append(likeness)
    return {name: _alike(sorted(values, reverse=True)) for name, values in by_record.items()}


def _alike(values: Sequence[float]) -> Alike:
    return Alike(values[0], sum(values[:_MOST_TOGETHER]))

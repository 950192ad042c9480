"""Word ranking: which records explain most of a line, weighed by how much each word tells.

Strengths come with the index (`build`): how firmly a record holds a word, saturating with repeats and
lessened in long records, as in BM25. Here a line's words are weighed and each record is given the share
of the line that it explains. A share needs mass: one telling word is enough, ten common ones are not.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from gpu_gotchas.search.index import Index
from gpu_gotchas.search.ranked import THRESHOLD, Ranked
from gpu_gotchas.search.words import TECHNICAL, is_common, weight, words

ENOUGH_MASS = 1.2
"""Weight of explained words at which the share alone decides; one telling word in a title has about this."""

_MOST_QUESTIONS = 120
_MOST_WORDS = 60
_FURTHER_LINES = 0.25


def rank(index: Index, questions: Sequence[str]) -> tuple[Ranked, ...]:
    """Records above the threshold, best first. questions: lines, each judged on its own."""
    best: dict[int, Ranked] = {}
    further: dict[int, float] = defaultdict(float)
    for question in questions[:_MOST_QUESTIONS]:
        for record, found in _explained(index, question).items():
            held = best.get(record)
            if held is None or found.score > held.score:
                best[record] = found
                further[record] += held.score if held else 0.0
            else:
                further[record] += found.score
    named = _named(index, questions)
    lifted = (
        Ranked(found.record, _lift(found.score, further[record]), found.words)
        for record, found in best.items()
        if found.score >= THRESHOLD and found.record not in named
    )
    called = (Ranked(record, 1.0, (record,)) for record in named)
    return tuple(sorted((*called, *lifted), key=lambda found: (-found.score, found.record)))


def _named(index: Index, questions: Sequence[str]) -> set[str]:
    """Records that the text calls by their id or an older name."""
    words = {word.strip(".,:;()`'\"").lower() for question in questions for word in question.split()}
    names = {index.aliases.get(word, word) for word in words if "-" in word or len(questions) == 1}
    return {name for name in names if index.record(name) is not None}


def _lift(score: float, further: float) -> float:
    """Other lines can bring a score nearer to 1, never past it, and never over the threshold alone."""
    return score + (1 - score) * _FURTHER_LINES * (1 - math.exp(-further))


def _explained(index: Index, question: str) -> dict[int, Ranked]:
    """For each record that holds a word of this line: how much of the line that explains."""
    telling = _weigh(index, dict.fromkeys(words(question)))
    total = sum(mass for _, mass, _ in telling)
    explained: dict[int, list[tuple[float, str]]] = defaultdict(list)
    for word, mass, postings in telling:
        for record, strength in postings:
            explained[record].append((mass * strength / 100, word))
    results: dict[int, Ranked] = {}
    for record, parts in explained.items():
        mass = sum(part for part, _ in parts)
        score = mass / total * min(1.0, mass / ENOUGH_MASS)
        told = tuple(word for part, word in sorted(parts, reverse=True) if part > 0.1)
        results[record] = Ranked(index.ids[record], score, told[:6])
    return results


def _weigh(index: Index, found: Iterable[str]) -> list[tuple[str, float, list[tuple[int, int]]]]:
    """(word, mass, postings), heaviest first. A word that no record holds weighs fully, for none of them."""
    count = max(2, len(index.ids))
    ceiling = math.log(1 + (count - 0.5) / 1.5)  # a word that one record holds
    weighed = []
    for word in found:
        postings = index.postings(word)
        rarity = math.log(1 + (count - len(postings) + 0.5) / (len(postings) + 0.5)) / ceiling
        form = TECHNICAL if word in index.concepts and not is_common(word) else weight(word)
        weighed.append((word, form * (0.25 + 0.75 * min(1.0, rarity)), postings))
    weighed.sort(key=lambda item: (-item[1], item[0]))
    return weighed[:_MOST_WORDS]

"""Word ranking: which records explain most of a text, weighed by how much each word tells.

Strengths come with the index (`build`): how firmly a record holds a word, saturating with repeats and
lessened in long records, as in BM25. Here each word of the text is weighed by its rarity among records, and
by the line that it stands in.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from gpu_gotchas.search.few import meant_by, printed_by
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.likeness import NOT_ALIKE, likenesses
from gpu_gotchas.search.questions import SHORT, Asked, Question
from gpu_gotchas.search.ranked import THRESHOLD, Ranked
from gpu_gotchas.search.words import is_common, words

ENOUGH_MASS = 6.0
"""What a line's explained words must weigh for its share to count in full; one rare word has nearly this. A
line that weighs less must be explained whole."""

_RAREST = 5.0
"""What a word tells that one record holds, however many records there are."""

_COMMON = 0.4
_TARGET = 1.0

_LIKE = 4.0
_LIKE_ENOUGH, _LIKE_TRUST = 0.25, 15.0
"""What likeness to a report adds to what a record explains; and, beyond so much of it, to the confidence."""

_IN_A_FAILURE, _IN_A_COMPLAINT, _IN_AN_EXCERPT = 6.0, 3.0, 1.7
"""Where an exception says that something failed, or somebody tells of trouble, or chose a few lines, less is
needed to say what it is like."""

_MOST_QUESTIONS = 200
_MOST_WORDS = 60
_NAMED = 100.0


class _Telling(dict[str, float]):
    """How much a word tells: its rarity among records."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._count = max(2, len(index.ids))
        self._scale = _RAREST / math.log(1 + (self._count - 0.5) / 1.5)

    def __missing__(self, word: str) -> float:
        held = len(self._index.postings(word))
        rarity = self._scale * math.log(1 + (self._count - held + 0.5) / (held + 0.5))
        self[word] = rarity * (_COMMON if is_common(word) else 1.0)
        return self[word]


def rank(index: Index, text: Asked, targets: Iterable[str] = ()) -> tuple[Ranked, ...]:
    """Every record that holds a word of the text, best first. targets: what the text says it ran on."""
    asked = text.questions
    telling = _Telling(index)
    lines = [(question, list(dict.fromkeys(words(question.text)))) for question in asked[:_MOST_QUESTIONS]]
    weights: dict[str, float] = dict.fromkeys(targets, _TARGET)
    for question, found in lines:
        for word in found:
            weights[word] = max(weights.get(word, 0.0), question.weight)
    parts = _explained(index, {word: weight * telling[word] for word, weight in weights.items()})
    best_line: dict[int, tuple[float, str]] = {}
    for question, found in lines:
        for record, share in _shares(index, found, telling).items():
            line = (share * question.weight, question.text)
            best_line[record] = max(best_line.get(record, line), line)
    trust = _trust(text)
    alike = likenesses(index, asked)
    named = _named(index, asked)
    few = [question.text for question in asked]
    meant = None if text.fails else meant_by(index, few)
    printed = printed_by(index, few)
    ranked = [Ranked(name, _NAMED, _NAMED, (name,)) for name in named]
    for record, told in parts.items():
        name = index.ids[record]
        if name not in named:
            score = sum(part for part, _ in told)
            strongest = tuple(word for part, word in sorted(told, reverse=True)[:6] if part > 0.5)
            share, rests_on = best_line.get(record, (0.0, ""))
            like = alike.get(name, NOT_ALIKE)
            confidence = score * share * trust + _LIKE_TRUST * max(0.0, like.likest - _LIKE_ENOUGH)
            if name in printed:
                confidence = max(confidence, THRESHOLD)
            elif meant is not None and name not in meant:
                confidence = 0.0
            ranked.append(Ranked(name, score + _LIKE * like.together, confidence, strongest, rests_on))
    return tuple(sorted(ranked, key=lambda found: (-found.score, found.record)))


def _trust(text: Asked) -> float:
    if text.fails:
        return _IN_A_FAILURE
    if not text.excerpt:
        return 1.0
    return _IN_A_COMPLAINT if text.complains else _IN_AN_EXCERPT


def _named(index: Index, asked: Sequence[Question]) -> set[str]:
    """Records that the text calls by their id or an older name."""
    called = {word.strip(".,:;()`'\"").lower() for question in asked for word in question.text.split()}
    if len(asked) > SHORT:
        return set()  # a list of records is about none
    names = {index.aliases.get(word, word) for word in called if "-" in word or len(asked) == 1}
    return {name for name in names if index.record(name) is not None}


def _explained(index: Index, weighed: dict[str, float]) -> dict[int, list[tuple[float, str]]]:
    """For each record the words that it holds, each with what it explains."""
    parts: dict[int, list[tuple[float, str]]] = defaultdict(list)
    for word, mass in weighed.items():
        for record, strength in index.postings(word):
            parts[record].append((mass * strength / 100, word))
    return parts


def _shares(index: Index, found: Sequence[str], telling: _Telling) -> dict[int, float]:
    """For each record how much of one line it explains, 0 to 1.

    Common words alone explain nothing, and a plain word does so only beside another one.
    """
    heaviest = sorted(found, key=lambda word: -telling[word])[:_MOST_WORDS]
    total = sum(telling[word] for word in heaviest)
    enough = min(ENOUGH_MASS, total)
    mass: dict[int, float] = defaultdict(float)
    told: dict[int, int] = defaultdict(int)
    for word in heaviest:
        tells = 0 if is_common(word) else 1 if word.isalpha() else 2
        for record, strength in index.postings(word):
            mass[record] += telling[word] * strength / 100
            told[record] += tells
    wanted = 2 if len(found) > 1 else 1
    return {
        record: part / total * min(1.0, part / enough)
        for record, part in mass.items()
        if told[record] >= wanted
    }

"""Which few short strings to look for, so that no literal can be there without one of them.

Looking for one string in a block of bytes is fast, three hundred are three hundred passes. Literals share
parts, though: a greedy cover finds a few anchors, of which each literal holds one. A sample says what ordinary
lines hold too, so that this is avoided.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable

_LENGTH = 4
_PER_HIT = 1 / 40
"""What looking at one line costs, in passes over the sample."""


def choose(literals: Iterable[bytes], sample: bytes) -> dict[bytes, set[bytes]]:
    """Each anchor with the literals that rely on it. sample: some of what will be searched."""
    left = set(literals)
    holders: dict[bytes, set[bytes]] = defaultdict(set)
    for literal in left:
        for gram in _grams(literal):
            holders[gram].add(literal)
    chosen: dict[bytes, set[bytes]] = {}
    worth: dict[bytes, float] = {}
    queue = [(-float(len(held)), gram) for gram, held in holders.items()]
    heapq.heapify(queue)
    while left and queue:
        promised, gram = heapq.heappop(queue)
        covered = holders[gram] & left
        if covered and gram not in worth:
            worth[gram] = 1 / (1 + _PER_HIT * sample.count(gram))
        value = -len(covered) * worth.get(gram, 1.0)
        if covered and value != promised:  # it promised more than it holds by now
            heapq.heappush(queue, (value, gram))
        elif covered:
            chosen[gram] = covered
            left -= covered
    return chosen


def _grams(literal: bytes) -> set[bytes]:
    """Every run of a few bytes; a shorter literal whole."""
    return {literal[at : at + _LENGTH] for at in range(max(1, len(literal) - _LENGTH + 1))}

"""Finding the one place in a list where an answer changes, with few questions. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


class EndsAgree(ValueError):
    """The first and the last that answer say the same, so there is nothing to search for."""


@dataclass(frozen=True, slots=True)
class Change:
    """The answer changes after place `before` and by place `after`; places between them did not tell."""

    before: int
    after: int


def bisect(items: Sequence[T], ask: Callable[[T], bool | None]) -> Change:
    """Where the answer of `ask` changes, on the assumption that it changes once.

    `ask` is called once an item at most; None is no answer, and its neighbours are asked instead. A fault
    that went and came back is found at one of its changes, or not at all. Raises EndsAgree.
    """
    known: dict[int, bool | None] = {}

    def answer(place: int) -> bool | None:
        if place not in known:
            known[place] = ask(items[place])
        return known[place]

    places = range(len(items))
    low = next((place for place in places if answer(place) is not None), None)
    high = next((place for place in reversed(places) if answer(place) is not None), None)
    if low is None or high is None or answer(low) is answer(high):
        raise EndsAgree("the first and the last that answer say the same: there is no change to search for")
    first = answer(low)
    while True:
        middle = (low + high) // 2
        untold = [place for place in range(low + 1, high) if known.get(place, True) is not None]
        if not untold:
            return Change(low, high)
        place = min(untold, key=lambda place: abs(place - middle))
        told = answer(place)
        if told is None:
            continue
        if told is first:
            low = place
        else:
            high = place

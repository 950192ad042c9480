"""One change is found exactly, whatever does not tell; without one there is a refusal."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.repro.bisecting import Change, EndsAgree, bisect

ANSWERS = st.lists(st.booleans(), min_size=0, max_size=40)
SILENT = st.sets(st.integers(0, 80), max_size=20)


@given(st.integers(1, 40), st.integers(1, 40), st.booleans(), SILENT)
def test_one_change_is_found_between_the_nearest_that_tell(
    before: int, after: int, first: bool, silent: set[int]
) -> None:
    truth = [first] * before + [not first] * after
    told = [place for place in range(len(truth)) if place not in silent]
    low = max((place for place in told if place < before), default=None)
    high = min((place for place in told if place >= before), default=None)
    asked: list[int] = []

    def ask(place: int) -> bool | None:
        asked.append(place)
        return None if place in silent else truth[place]

    if low is None or high is None:
        with pytest.raises(EndsAgree):
            bisect(range(len(truth)), ask)
        return
    assert bisect(range(len(truth)), ask) == Change(low, high)
    assert len(asked) == len(set(asked))
    assert len(asked) <= 2 + math.log2(len(truth)) + 1 + len(silent & set(range(len(truth))))


@given(ANSWERS)
def test_ends_that_agree_are_refused_and_others_give_a_real_change(answers: list[bool]) -> None:
    if not answers or answers[0] is answers[-1]:
        with pytest.raises(EndsAgree):
            bisect(answers, lambda answer: answer)
        return
    # With several changes one of them is found: never a place where nothing changes.
    change = bisect(range(len(answers)), lambda place: answers[place])
    assert change.after == change.before + 1
    assert answers[change.before] is answers[0]
    assert answers[change.after] is answers[-1]

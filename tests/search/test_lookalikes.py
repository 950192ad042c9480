"""Ten more records that look like ours take nothing from anybody."""

from __future__ import annotations

from functools import cache

import pytest
from benchmarks.search import asked_of
from benchmarks.search_measure import Outcome, search_all

from gpu_gotchas.records.loading import load_all, load_candidates, load_heard
from gpu_gotchas.search.build import index_of
from gpu_gotchas.search.index import Index
from tests.corpus import BUILD
from tests.search.lookalikes import lookalikes

ADDED = 10


@cache
def outcomes(added: int) -> tuple[Outcome, ...]:
    gotchas, candidates = load_all(), load_candidates()
    more = lookalikes(gotchas, candidates, added) if added else []
    index = Index(index_of(gotchas, [*candidates, *more], load_heard()))
    return tuple(search_all(index, asked_of(BUILD)))


def test_they_look_like_what_is_there() -> None:
    gotchas, candidates = load_all(), load_candidates()
    made = lookalikes(gotchas, candidates, ADDED)
    assert len({one.id for one in made}) == ADDED
    assert all(one.signatures for one in made)


def test_nobody_who_was_first_is_second_now() -> None:
    lost = {
        before.case.name: (before.case.expected, after.found[:2])
        for before, after in zip(outcomes(0), outcomes(ADDED), strict=True)
        if before.first and not after.first
    }
    assert lost == {}


def test_nobody_is_surely_wrong_now() -> None:
    assert [one.case.name for one in outcomes(ADDED) if one.surely_wrong] == []


@pytest.mark.parametrize("added", [0, ADDED])
def test_what_was_certain_is_right(added: int) -> None:
    certain = [one for one in outcomes(added) if one.certain]
    assert certain
    assert all(one.first for one in certain)

"""Three-valued truth: the laws of Kleene's logic, and that learning more only settles what was open."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.hardware.truth import Truth, every, some

TRUTHS = tuple(Truth)
PAIRS = list(itertools.product(TRUTHS, repeat=2))
TRIPLES = list(itertools.product(TRUTHS, repeat=3))
_RANK = {Truth.NO: 0, Truth.UNKNOWN: 1, Truth.YES: 2}


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_and_is_the_lesser_and_or_the_greater(a: Truth, b: Truth) -> None:
    assert _RANK[a & b] == min(_RANK[a], _RANK[b])
    assert _RANK[a | b] == max(_RANK[a], _RANK[b])


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_de_morgan(a: Truth, b: Truth) -> None:
    assert ~(a & b) is (~a | ~b)
    assert ~(a | b) is (~a & ~b)
    assert ~~a is a


@pytest.mark.parametrize(("a", "b", "c"), TRIPLES)
def test_and_distributes_over_or(a: Truth, b: Truth, c: Truth) -> None:
    assert (a & (b | c)) is ((a & b) | (a & c))
    assert (a & (b & c)) is ((a & b) & c)


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("learnt", [Truth.YES, Truth.NO])
def test_settling_an_unknown_part_never_flips_a_settled_whole(a: Truth, b: Truth, learnt: Truth) -> None:
    for operate in (lambda x, y: x & y, lambda x, y: x | y):
        before = operate(a, b)
        after = operate(learnt if a is Truth.UNKNOWN else a, b)
        assert before in (Truth.UNKNOWN, after)


@given(st.lists(st.sampled_from(TRUTHS)))
def test_every_and_some_do_not_depend_on_order(truths: list[Truth]) -> None:
    assert every(truths) is every(reversed(truths))
    assert some(truths) is some(reversed(truths))
    assert every(truths) is ~some(~truth for truth in truths)


def test_nothing_asked() -> None:
    assert every(()) is Truth.YES
    assert some(()) is Truth.NO


def test_a_truth_is_no_bool() -> None:
    with pytest.raises(TypeError, match="three values"):
        bool(Truth.NO)
    assert [Truth.of(value) for value in (True, False, None)] == [Truth.YES, Truth.NO, Truth.UNKNOWN]

"""More that speaks for a record, or a greater lead, never makes a likeness weaker."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.search.strength import Strength, strength

ORDER = [Strength.WEAK, Strength.FAIR, Strength.STRONG]
weights = st.floats(0.01, 1_000)


@given(weights, weights, weights)
def test_more_is_never_weaker(one: float, other: float, more: float) -> None:
    first, second = max(one, other), min(one, other)
    before = ORDER.index(strength([first, second]))
    assert ORDER.index(strength([first + more, second])) >= before
    assert ORDER.index(strength([first, second / 2])) >= before


def test_what_is_unsure_is_never_strong() -> None:
    assert strength([60.0], unsure=True) is Strength.FAIR


def test_much_alone_is_strong_and_a_tie_of_little_is_weak() -> None:
    assert strength([60.0]) is Strength.STRONG
    assert strength([5.0, 5.0]) is Strength.WEAK
    assert strength([0.0, 0.0]) is Strength.WEAK

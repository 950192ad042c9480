"""The column is the one whose block holds the last token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.state_column import state_column


@given(st.integers(1, 10_000), st.integers(1, 3000))
def test_the_last_token_lies_in_the_block(computed: int, block: int) -> None:
    column = state_column(computed, block)
    assert column * block < computed <= (column + 1) * block


def test_before_the_first_token_it_is_the_first_block() -> None:
    assert state_column(0, 16) == 0


@pytest.mark.parametrize(("computed", "block"), [(-1, 16), (5, 0)])
def test_what_cannot_be_is_refused(computed: int, block: int) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        state_column(computed, block)

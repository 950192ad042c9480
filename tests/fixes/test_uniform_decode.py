"""Only rows of one length that are all past their prompts are a uniform decode batch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.uniform_decode import decode_length

ROWS = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=5)


@given(ROWS)
def test_it_is_uniform_just_where_no_prompt_is_open(rows: list[tuple[int, int, int]]) -> None:
    queries, computed, prompts = zip(*rows, strict=True)
    found = decode_length(queries, computed, prompts)
    if any(done < prompt for _, done, prompt in rows) or len(set(queries)) > 1:
        assert found is None
    else:
        assert found == queries[0]


def test_no_rows_are_no_decode_batch() -> None:
    assert decode_length([], [], []) is None


@pytest.mark.parametrize("queries", [[1], [1, 1, 1]])
def test_rows_without_a_request_are_refused(queries: list[int]) -> None:
    with pytest.raises(ValueError, match="requests"):
        decode_length(queries, [4, 4], [4, 4])

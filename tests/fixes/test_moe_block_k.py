"""The tile is legal, never larger than wanted, and the largest of those."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.moe_block_k import is_legal, legal_block_k

GROUP = st.sampled_from((32, 64, 128))


@given(st.integers(1, 512), GROUP, st.integers(1, 2048))
def test_it_is_the_largest_legal_one_within_what_was_wanted(groups: int, group: int, wanted: int) -> None:
    size_k = groups * group
    found = legal_block_k(size_k, wanted, group)
    assert is_legal(size_k, found, group)
    legal = [size for size in range(group, wanted + 1, group) if is_legal(size_k, size, group)]
    assert found == max(legal, default=group)


@given(st.integers(1, 512), GROUP)
def test_a_legal_tile_stays_as_it_is(groups: int, group: int) -> None:
    for size in (group, 2 * group, 4 * group, 8 * group):
        if is_legal(groups * group, size, group):
            assert legal_block_k(groups * group, size, group) == size


def test_weights_without_a_legal_tile_are_refused() -> None:
    with pytest.raises(ValueError, match="groups of 64 do not divide 96"):
        legal_block_k(96, 128, 64)

"""How work is dealt out: in equal shares that cover it, and a tile's parts each in a place of its own."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("triton", reason="Triton runs on Linux only")

from gpu_gotchas.fixes.block_fp8_gemm import schedule

share_begin = schedule.share_begin.fn
owner = schedule.owner.fn
part_of = schedule.part_of.fn


@given(programs=st.integers(1, 300), more=st.integers(0, 3000))
def test_shares_follow_each_other_and_are_as_long_as_any_other(programs: int, more: int) -> None:
    units = programs + more
    begins = [share_begin(program, programs, units) for program in range(programs + 1)]
    assert (begins[0], begins[-1]) == (0, units)
    lengths = {end - begin for begin, end in pairwise(begins)}
    assert max(lengths) - min(lengths) <= 1
    for program, (begin, end) in enumerate(pairwise(begins)):
        assert owner(begin, programs, units) == owner(end - 1, programs, units) == program


@given(programs=st.integers(1, 40), tiles=st.integers(1, 60), columns=st.integers(1, 20))
def test_no_two_parts_lie_in_one_place(programs: int, tiles: int, columns: int) -> None:
    units = tiles * columns
    programs = min(programs, units)
    taken = []
    for tile in range(tiles):
        first = owner(tile * columns, programs, units)
        last = owner(tile * columns + columns - 1, programs, units)
        if first < last:
            taken += [
                part_of(program, share_begin(program, programs, units), tile * columns)
                for program in range(first, last + 1)
            ]
    assert len(set(taken)) == len(taken)
    assert all(place < 2 * programs for place in taken)

"""Which launches compile a kernel, and kernels that do not look at a size."""

from __future__ import annotations

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
pytest.importorskip("torch")

import triton
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.one_compilation import cases_of, unspecialised


@triton.jit
def count(out_ptr, tokens, requests):
    pass


def kind(size: int) -> str:
    return "one" if size == 1 else "sixteens" if size % 16 == 0 else "other"


@given(st.lists(st.integers(1, 100), min_size=1, max_size=3).flatmap(
    lambda largest: st.tuples(st.just(largest), st.tuples(*(st.integers(1, one) for one in largest)))
))  # fmt: skip
def test_every_launch_is_of_the_kind_of_a_case(drawn: tuple[list[int], tuple[int, ...]]) -> None:
    largest, sizes = drawn
    cases = cases_of(*largest)
    assert tuple(map(kind, sizes)) in {tuple(map(kind, case)) for case in cases}
    assert all(size <= most for case in cases for size, most in zip(case, largest, strict=True))
    assert len(cases) == len({tuple(map(kind, case)) for case in cases})


def test_a_kernel_does_not_look_at_what_it_is_told_not_to() -> None:
    freed = unspecialised(count, ["tokens"])
    assert [param.do_not_specialize for param in freed.params] == [False, True, False]
    assert not any(param.do_not_specialize for param in count.params)


def test_a_name_that_is_no_argument_is_an_error() -> None:
    with pytest.raises(ValueError, match="count has no argument token$"):
        unspecialised(count, ["token"])

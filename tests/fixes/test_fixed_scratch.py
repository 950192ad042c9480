"""Scratch keeps its address for life and never grows."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from gpu_gotchas.fixes.fixed_scratch import FixedScratch
from gpu_gotchas.fixes.refused import Refused


def test_every_call_gets_the_same_memory() -> None:
    scratch = FixedScratch(12, device="cpu")
    first = scratch.take(3, 4)
    assert first.shape == (3, 4)
    first.fill_(7.0)
    assert scratch.take(2).tolist() == [7.0, 7.0]
    assert scratch.take(12).data_ptr() == first.data_ptr()


def test_what_it_does_not_hold_is_refused_with_both_sizes() -> None:
    with pytest.raises(Refused, match=r"13 elements.*scratch of 12 elements"):
        FixedScratch(12, device="cpu").take(13)


def test_nothing_may_be_asked_of_nothing() -> None:
    assert FixedScratch(0, device="cpu").take(0, 5).numel() == 0

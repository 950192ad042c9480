"""Counts that can occur stay, all others become ones that can."""

from __future__ import annotations

import pytest
import torch

from gpu_gotchas.fixes.accepted_tokens import bounded


@pytest.mark.parametrize("drafted", [0, 1, 5])
def test_every_count_becomes_a_possible_one(drafted: int) -> None:
    counts = torch.arange(-3, 10, dtype=torch.int32)
    found = bounded(counts, drafted)
    possible = range(1, drafted + 2)
    assert found.dtype == counts.dtype
    for before, after in zip(counts.tolist(), found.tolist(), strict=True):
        assert after in possible
        assert after == before or before not in possible


def test_a_negative_number_of_drafts_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be -1"):
        bounded(torch.ones(1), -1)

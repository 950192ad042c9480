"""The guard refuses below 8.9 and nowhere else."""

from __future__ import annotations

import pytest

from gpu_gotchas.fixes.fp8_moe import refuse_fp8_experts
from gpu_gotchas.fixes.refused import Refused


@pytest.mark.parametrize("capability", [(7, 5), (8, 0), (8, 7)])
def test_cards_without_e4m3_are_refused_with_a_way_out(capability: tuple[int, int]) -> None:
    with pytest.raises(Refused, match="Marlin") as caught:
        refuse_fp8_experts(capability)
    assert caught.value.capability == f"sm_{capability[0]}{capability[1]}"


@pytest.mark.parametrize("capability", [(8, 9), (9, 0), (12, 1), None])
def test_others_are_let_through(capability: tuple[int, int] | None) -> None:
    refuse_fp8_experts(capability)

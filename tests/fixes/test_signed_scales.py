"""Folding keeps every weight, but for the one code that has no counterpart."""

from __future__ import annotations

import pytest
import torch

from gpu_gotchas.fixes.signed_scales import fold_signs

GROUP = 4


def _weights(codes: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    return (codes - 8) * scales.repeat_interleave(GROUP, dim=0)


@pytest.mark.parametrize("seed", range(5))
def test_weights_stay_and_the_lowest_code_gives_way_by_one_step(seed: int) -> None:
    torch.manual_seed(seed)
    codes, scales = torch.randint(0, 16, (6 * GROUP, 8)), torch.randn(6, 8)
    new_codes, new_scales, changed = fold_signs(codes, scales, GROUP)
    assert (new_scales >= 0).all()
    assert 0 <= int(new_codes.min()) <= int(new_codes.max()) <= 15
    wide = scales.repeat_interleave(GROUP, dim=0)
    lost = (codes == 0) & (wide < 0)
    assert changed == int(lost.sum())
    off = (_weights(codes, scales) - _weights(new_codes, new_scales)).abs()
    torch.testing.assert_close(off, torch.where(lost, wide.abs(), 0.0), atol=1e-5, rtol=0)


def test_scales_without_a_sign_change_nothing() -> None:
    codes, scales = torch.arange(16).reshape(GROUP, 4), torch.ones(1, 4, dtype=torch.float16)
    new_codes, new_scales, changed = fold_signs(codes, scales, GROUP)
    assert (new_codes.equal(codes), new_scales.equal(scales), changed) == (True, True, 0)


def test_scales_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        fold_signs(torch.zeros(8, 2), torch.zeros(1, 2), GROUP)

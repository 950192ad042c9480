"""The layout that is said decides, also for square weights."""

from __future__ import annotations

import pytest
import torch

from gpu_gotchas.fixes.weight_layout import Layout, by_input


@pytest.mark.parametrize("shape", [(3, 5), (4, 4)])
def test_both_layouts_give_the_same_product(shape: tuple[int, int]) -> None:
    outputs, inputs = shape
    stored, x = torch.randn(outputs, inputs), torch.randn(2, inputs)
    for weight, layout in ((stored, Layout.BY_OUTPUT), (stored.t(), Layout.BY_INPUT)):
        torch.testing.assert_close(x @ by_input(weight, layout), torch.nn.functional.linear(x, stored))


def test_what_is_no_matrix_is_refused() -> None:
    with pytest.raises(ValueError, match="two dimensions"):
        by_input(torch.zeros(3), Layout.BY_INPUT)

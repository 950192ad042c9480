"""The configuration of torchao that a card can run."""

from __future__ import annotations

import pytest

from gpu_gotchas.fixes.float8_activations import torchao_config
from gpu_gotchas.hardware.catalogue import targets

CAPABILITIES = sorted(target.capability for target in targets() if target.capability)


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_activations_are_quantised_where_cards_multiply_in_fp8(capability: tuple[int, int]) -> None:
    weights_alone = torchao_config(capability) == "Float8WeightOnlyConfig"
    assert weights_alone == (capability < (8, 9))

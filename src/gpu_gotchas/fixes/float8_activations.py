"""Which float8 configuration of torchao a card can run.

Activations are quantised for the sake of FP8 products, which NVIDIA cards have from compute capability 8.9
on. Below, float8 still halves the memory of the weights, which are widened again for each product.

Source: the check in torchao's `quant_api`, and its documentation of the two configurations.
"""

from __future__ import annotations

_FIRST_WITH_FP8_PRODUCTS = (8, 9)


def torchao_config(capability: tuple[int, int]) -> str:
    """The name of a class in `torchao.quantization`, for an NVIDIA card of (major, minor)."""
    if capability >= _FIRST_WITH_FP8_PRODUCTS:
        return "Float8DynamicActivationFloat8WeightConfig"
    return "Float8WeightOnlyConfig"

"""torchao refuses float8 activations on cards below 8.9, and calls their compute capability CUDA.

torchao's own `quantize_` is asked for one linear layer, on a card of the target. The fix chooses the
configuration for the card, which below 8.9 quantises weights alone. The whole package is imported; nothing
is stood in for but what results name.
"""

from __future__ import annotations

import torch

from gpu_gotchas.fixes.float8_activations import torchao_config
from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.repro.upstream import as_capability

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 2, "imports": ["torchao.quantization"]}

SIZE = 64


def _quantized(target: ProbeTarget, config: str) -> list[int]:
    """The shape of a layer's weight, once it is quantised."""
    import torchao.quantization

    assert target.capability is not None
    as_capability(target.capability)
    layer = torch.nn.Linear(SIZE, SIZE, bias=False, dtype=torch.bfloat16)
    torchao.quantization.quantize_(layer, getattr(torchao.quantization, config)())
    assert type(layer.weight.data) is not torch.Tensor, "left as it was"
    return list(layer.weight.shape)


def bug_package(target: ProbeTarget) -> list[int]:
    return _quantized(target, "Float8DynamicActivationFloat8WeightConfig")


def fixed_package(target: ProbeTarget) -> list[int]:
    assert target.capability is not None
    return _quantized(target, torchao_config(target.capability))

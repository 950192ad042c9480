"""vLLM tells by its shape whether an FP8 weight is transposed, which a square one does not show.

The release's own `Fp8LinearMethod` and `MarlinFP8ScaledMMLinearKernel` prepare a weight as a checkpoint
stores it, by output. They must hand Marlin's packing the weight by input; where they do not, the layer
computes with the transposed weight. Stand-ins: the packing, which is compiled and only keeps what it is
given, and `replace_parameter`.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import torch
from torch import Tensor

from gpu_gotchas.fixes.weight_layout import Layout, by_input
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

STEP = "process_weights_after_loading"
KERNEL = Path("vllm/model_executor/kernels/linear/scaled_mm/marlin.py")
METHOD = Path("vllm/model_executor/layers/quantization/fp8.py")


def _layer(seed: int, inputs: int, outputs: int) -> tuple[SimpleNamespace, Tensor]:
    """A layer, and its weight as the checkpoint has it: (outputs, inputs)."""
    torch.manual_seed(seed)
    stored = torch.randn(outputs, inputs)
    sizes = {"input_size_per_partition": inputs, "output_size_per_partition": outputs}
    return SimpleNamespace(weight=stored.clone(), input_scale=None, **sizes), stored


def _packed(target: ProbeTarget, layer: SimpleNamespace) -> Tensor:
    """What the release hands to Marlin's packing, (inputs, outputs) if it is right."""
    assert target.package is not None
    package, given = Path(target.package), []
    stand_ins = {
        "replace_parameter": lambda layer, name, value: setattr(layer, name, value),
        "prepare_fp8_layer_for_marlin": lambda layer, *_, **__: given.append(layer.weight),
        "is_weights_pre_processed": lambda *_, **__: False,  # newer releases ask whether all this was done
    }
    names = [f"MarlinFP8ScaledMMLinearKernel.{STEP}", f"Fp8LinearMethod.{STEP}"]
    prepare = take(package / KERNEL, names[:1], stand_ins)[names[0]]
    kernel = SimpleNamespace(block_quant=False, size_k_first=True, marlin_input_dtype=None)
    kernel._get_layer_params = lambda layer: (layer.weight, None)
    kernel.process_weights_after_loading = lambda layer: prepare(kernel, layer)
    owner = SimpleNamespace(use_marlin=True, block_quant=False, marlin_input_dtype=None, fp8_linear=kernel)
    take(package / METHOD, names[1:], stand_ins)[names[1]](owner, layer)
    return given[0]


def _error(packed: Tensor, stored: Tensor) -> float:
    """How far a product with the packed weight is from the right one, relative to its size."""
    x = torch.randn(8, stored.shape[1])
    right = x @ stored.t()
    return float((x @ packed - right).norm() / right.norm())


def bug_package(target: ProbeTarget, seed: int) -> float:
    layer, stored = _layer(seed, 128, 128)
    return _error(_packed(target, layer), stored)


def control_package(target: ProbeTarget, seed: int) -> float:
    """The same preparation of a weight with more outputs than inputs."""
    layer, stored = _layer(seed, 128, 192)
    return _error(_packed(target, layer), stored)


def fixed_package(target: ProbeTarget, seed: int) -> float:
    """The layer says how its weight lies, and is turned by what it says."""
    layer, stored = _layer(seed, 128, 128)
    return _error(by_input(layer.weight, Layout.BY_OUTPUT), stored)

"""Negative group scales, packed by vLLM for 8-bit activations and read back as Marlin reads them.

The release's own `marlin_act_int8_process_scales` packs. The kernel is compiled and does not run here: it
takes each scale as `(int)uint16` (`csrc/quantization/marlin/marlin_template.h`, `matmul_a8`), and so does
`_read`.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from gpu_gotchas.fixes.signed_scales import fold_signs
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

GROUP, GROUPS, COLUMNS = 128, 8, 64
SOURCE = Path("vllm/model_executor/layers/quantization/utils/marlin_utils.py")


def _layer(seed: int) -> tuple[Tensor, Tensor]:
    """Codes of 4 bits, and scales of which about half are negative."""
    torch.manual_seed(seed)
    codes = torch.randint(0, 16, (GROUP * GROUPS, COLUMNS))
    signs = torch.randint(0, 2, (GROUPS, COLUMNS)) * 2 - 1
    return codes, ((0.5 + torch.rand(GROUPS, COLUMNS)) * 0.01 * signs).half()


def _weights(codes: Tensor, scales: Tensor) -> Tensor:
    return (codes - 8) * scales.float().repeat_interleave(GROUP, dim=0)


def _read(packed: Tensor, factor: Tensor) -> Tensor:
    return (packed.view(torch.int16).int() & 0xFFFF) * factor


def _error(target: ProbeTarget, codes: Tensor, scales: Tensor, true: Tensor) -> float:
    """How far the weights that the kernel computes with are from the checkpoint's, relative to their size."""
    assert target.package is not None
    name = "marlin_act_int8_process_scales"
    process = take(Path(target.package) / SOURCE, [name], {"torch": torch})[name]
    off = _weights(codes, _read(*process(scales))) - true
    return float(off.norm() / true.norm())


def bug_package(target: ProbeTarget, seed: int) -> float:
    codes, scales = _layer(seed)
    return _error(target, codes, scales, _weights(codes, scales))


def control_package(target: ProbeTarget, seed: int) -> float:
    """The same layer with its scales made positive."""
    codes, scales = _layer(seed)
    return _error(target, codes, scales.abs(), _weights(codes, scales.abs()))


def fixed_package(target: ProbeTarget, seed: int) -> float:
    codes, scales = _layer(seed)
    new_codes, new_scales, _ = fold_signs(codes, scales, GROUP)
    return _error(target, new_codes, new_scales, _weights(codes, scales))

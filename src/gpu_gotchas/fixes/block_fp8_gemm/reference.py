"""Products with block-scaled FP8 weights in float64 torch: what the kernels are held against."""

from __future__ import annotations

import torch
from torch import Tensor

from gpu_gotchas.fixes import e4m3_torch

BLOCK = 128


def values(weight: Tensor, scale: Tensor) -> Tensor:
    """Codes (..., features, columns) times the scales of their blocks, as float64 numbers."""
    wide = e4m3_torch.decode(weight.view(torch.uint8)).double()
    rows = scale.double().repeat_interleave(BLOCK, dim=-2)[..., : weight.shape[-2], :]
    return wide * rows.repeat_interleave(BLOCK, dim=-1)[..., : weight.shape[-1]]


def reference(x: Tensor, weight: Tensor, scale: Tensor) -> Tensor:
    """(tokens, features) in float64. Arguments as in `launch.matmul`."""
    return x.double() @ values(weight, scale).mT


def grouped_reference(x: Tensor, weight: Tensor, scale: Tensor, ends: Tensor) -> Tensor:
    """The same for tokens that are sorted by expert, as in `launch.grouped_matmul`."""
    out = torch.zeros(x.shape[0], weight.shape[1], dtype=torch.float64, device=x.device)
    begin = 0
    for expert, end in enumerate(ends.tolist()):
        out[begin:end] = reference(x[begin:end], weight[expert], scale[expert])
        begin = end
    return out

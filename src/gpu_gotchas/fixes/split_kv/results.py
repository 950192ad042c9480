"""Outputs that the caller may bring, so that a captured graph writes where it is read."""

from __future__ import annotations

import torch
from torch import Tensor


def result(
    given: Tensor | None, name: str, shape: tuple[int, ...], dtype: torch.dtype, device: torch.device
) -> Tensor:
    """`given`, or a new tensor where absent. Raises ValueError, with `name`, for another shape or dtype."""
    if given is None:
        return torch.empty(shape, dtype=dtype, device=device)
    if given.shape != shape or given.dtype != dtype or not given.is_contiguous():
        raise ValueError(
            f"{name} must be contiguous {dtype} of shape {shape}, not {given.dtype} {given.shape}"
        )
    return given

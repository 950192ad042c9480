"""Routing of tokens to experts that stays valid when logits are not: softmax, top k, renormalise.

A top-k made of repeated arg-max by float comparison picks one expert k times on a row of NaN, because every
comparison with NaN is false. Kernels that sort tokens by expert count on k different experts and then read or
write past their buffers. Here the order of a row is one of integers, in which no value is unordered:

- a NaN logit ranks as minus infinity, before the row's maximum and sum are taken, so one NaN neither
  silences nor reorders the other experts;
- ids of a row are k different numbers in [0, experts), whatever the row holds; ties go to the lower id;
- weights are finite. Where +inf logits occur they share the row. A row without any logit above minus
  infinity gets the experts 0 to k - 1 with weight 0.

This module is the reference in torch, for any device. `router_topk_triton` is the same in one kernel.
"""

from __future__ import annotations

import torch
from torch import Tensor

_DTYPES = (torch.float32, torch.float16, torch.bfloat16)


def check(logits: Tensor, k: int) -> None:
    """Raises ValueError, before any work, when shape, dtype or k cannot be routed.

    Float64 is refused: its numbers beyond float32 would all become infinity, and tie.
    """
    if logits.dim() != 2 or logits.dtype not in _DTYPES:
        raise ValueError(
            "logits must be float32, float16 or bfloat16 of shape (tokens, experts), "
            f"not {logits.dtype} {tuple(logits.shape)}"
        )
    if not 1 <= k <= logits.shape[1]:
        raise ValueError(f"k must be from 1 to the number of experts, {logits.shape[1]}, not {k}")


def route(logits: Tensor, k: int, *, renormalise: bool = True) -> tuple[Tensor, Tensor]:
    """Weights and ids of the k experts of each token.

    logits: (tokens, experts), float32, float16 or bfloat16; computed in float32. renormalise: whether the k
    weights of a row sum to 1, or are the experts' shares of the whole row.

    Returns weights, float32 (tokens, k), and ids, int32 (tokens, k), the largest logit first. Raises
    ValueError as `check` does. Allocates two tensors of the logits' size in float32 and one in int64.
    """
    check(logits, k)
    low = float("-inf")
    clean = logits.float()
    clean = torch.where(torch.isnan(clean), low, clean)
    order = torch.sort(clean, dim=1, descending=True, stable=True)
    top = order.values[:, :1]
    # Infinity less infinity is NaN: what equals the largest is 0 below it, whatever it is.
    share = torch.where(order.values == top, 0.0, order.values - top).exp()
    chosen = share[:, :k]
    whole = chosen if renormalise else share
    weights = chosen / whole.sum(dim=1, keepdim=True)
    weights = torch.where(top == low, 0.0, weights)
    return weights, order.indices[:, :k].to(torch.int32)


def duplicates(ids: Tensor) -> int:
    """The most ids that one row of (tokens, k) holds more than once: 0 when all rows are valid.

    Raises ValueError for ids of another shape.
    """
    if ids.dim() != 2:
        raise ValueError(f"ids must be of shape (tokens, k), not {tuple(ids.shape)}")
    if ids.numel() == 0:
        return 0
    ranked = ids.sort(dim=1).values
    return int((ranked[:, 1:] == ranked[:, :-1]).sum(dim=1).max()) if ids.shape[1] > 1 else 0

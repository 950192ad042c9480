"""`router_topk.route` as one Triton kernel: one program for each token, the row held in registers.

Right first: it is not tuned. A row's logits become integer keys in the order of the floats, with the expert's
number below them, so that one integer maximum names the winner and settles ties. Integers have no NaN.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from gpu_gotchas.fixes.router_topk import check

MOST_EXPERTS = 4096


@triton.jit
def route_kernel(
    logits: tl.tensor,
    weights: tl.tensor,
    ids: tl.tensor,
    experts: tl.tensor,
    row_stride: tl.tensor,
    K: tl.constexpr,
    RENORMALISE: tl.constexpr,
    BLOCK_E: tl.constexpr,
    BLOCK_K: tl.constexpr,
) -> None:
    """One row of `experts` logits to K weights and ids; BLOCK_E and BLOCK_K are powers of two above them."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK_E)
    inside = column < experts
    x = tl.load(logits + row * row_stride + column, mask=inside, other=float("-inf")).to(tl.float32)
    x = tl.where(x != x, float("-inf"), x)
    x = tl.where(x == 0.0, 0.0, x)  # of the two zeros one, so that they tie
    top = tl.max(x, axis=0)
    share = tl.exp(tl.where(x == top, 0.0, x - top))
    whole = tl.sum(tl.where(inside, share, 0.0), axis=0)

    bits = x.to(tl.int32, bitcast=True)
    ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    key = (ordered.to(tl.int64) << 32) + (BLOCK_E - 1 - column)
    taken = tl.full([BLOCK_E], -(2**63), tl.int64)
    key = tl.where(inside, key, taken)

    slot = tl.arange(0, BLOCK_K)
    chosen = tl.zeros([BLOCK_K], tl.float32)
    chosen_ids = tl.zeros([BLOCK_K], tl.int32)
    for j in tl.static_range(K):
        best = tl.max(key, axis=0)
        expert = BLOCK_E - 1 - (best & 0xFFFFFFFF).to(tl.int32)
        mine = tl.sum(tl.where(column == expert, share, 0.0), axis=0)
        chosen = tl.where(slot == j, mine, chosen)
        chosen_ids = tl.where(slot == j, expert, chosen_ids)
        key = tl.where(column == expert, taken, key)

    if RENORMALISE:
        whole = tl.sum(chosen, axis=0)
    chosen = tl.where(top == float("-inf"), 0.0, chosen / whole)
    tl.store(weights + row * K + slot, chosen, mask=slot < K)
    tl.store(ids + row * K + slot, chosen_ids, mask=slot < K)


def route(logits: Tensor, k: int, *, renormalise: bool = True) -> tuple[Tensor, Tensor]:
    """As `router_topk.route`, with the rows of `logits` contiguous in themselves or copied.

    logits: (tokens, experts), at most 4096 experts, on a device that Triton serves.
    Returns weights, float32 (tokens, k), and ids, int32 (tokens, k). Raises ValueError as `check` does.
    """
    check(logits, k)
    tokens, experts = logits.shape
    if experts > MOST_EXPERTS:
        raise ValueError(f"at most {MOST_EXPERTS} experts fit in one program, not {experts}")
    if logits.stride(1) != 1:
        logits = logits.contiguous()
    weights = torch.empty((tokens, k), dtype=torch.float32, device=logits.device)
    ids = torch.empty((tokens, k), dtype=torch.int32, device=logits.device)
    if tokens:
        route_kernel[(tokens,)](
            logits,
            weights,
            ids,
            experts,
            logits.stride(0),
            K=k,
            RENORMALISE=renormalise,
            BLOCK_E=triton.next_power_of_2(experts),
            BLOCK_K=triton.next_power_of_2(k),
            num_warps=4 if experts > 256 else 1,
        )
    return weights, ids

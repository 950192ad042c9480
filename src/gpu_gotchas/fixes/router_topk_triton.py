"""`router_topk.route` as one Triton kernel: one warp for each token, the row held in registers.

A row's logits become integer keys in the order of the floats, with the expert's number below them, so that
one integer maximum names the winner and settles ties, and its logit can be read back out of the key. Integers
have no NaN. Sixteen-bit logits fit one 32-bit key, which halves what the warp exchanges.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from gpu_gotchas.fixes.router_topk import check

MOST_EXPERTS = 4096


@triton.jit
def _keys(
    x: tl.tensor, column: tl.tensor, last: tl.constexpr, dtype: tl.constexpr, safe: tl.constexpr
) -> tl.tensor:
    """Integers in the order of `x`, sign and magnitude as one number, so that the two zeros are one; ties go
    to the lower column. What lies beyond either infinity is NaN, and ranks as minus infinity where `safe`."""
    infinity: tl.constexpr = 0x7F800000 if dtype == tl.float32 else 0x7C00 if dtype == tl.float16 else 0x7F80
    if dtype.primitive_bitwidth == 16:
        bits = x.to(tl.int16, bitcast=True).to(tl.int32)
        sign = bits >> 15
        ordered = (bits ^ (sign & 0x7FFF)) - sign
    else:
        bits = x.to(tl.int32, bitcast=True)
        sign = bits >> 31
        ordered = (bits ^ (sign & 0x7FFFFFFF)) - sign
    if safe:
        ordered = tl.where(tl.abs(ordered) > infinity, -infinity, ordered)
    if dtype.primitive_bitwidth == 16:
        key = (ordered << 16) | (last - column)
    else:
        key = (ordered.to(tl.int64) << 32) | (last - column)
    return key


@triton.jit
def _logit(key: tl.tensor, dtype: tl.constexpr) -> tl.tensor:
    """The logit that a key was made of, in float32."""
    if dtype.primitive_bitwidth == 16:
        ordered = key >> 16
        sign = ordered >> 31
        bits = ((ordered + sign) ^ (sign & 0x7FFF)).to(tl.int16)
        logit = bits.to(dtype, bitcast=True).to(tl.float32)
    else:
        ordered = (key >> 32).to(tl.int32)
        sign = ordered >> 31
        logit = ((ordered + sign) ^ (sign & 0x7FFFFFFF)).to(tl.float32, bitcast=True)
    return logit


@triton.jit
def _share(x: tl.tensor, top: tl.tensor) -> tl.tensor:
    """Of the row's largest logit; what equals it is 1, also where infinity less infinity is no number."""
    return tl.exp(tl.where(x == top, 0.0, x - top))


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
    SAFE: tl.constexpr = True,
) -> None:
    """One row of `experts` logits to K weights and ids; BLOCK_E and BLOCK_K are powers of two above them.

    SAFE: only a benchmark turns it off, to see what it costs.
    """
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK_E)
    inside = column < experts
    x = tl.load(logits + row * row_stride + column, mask=inside, other=float("-inf"))
    dtype: tl.constexpr = x.dtype
    key = _keys(x, column, BLOCK_E - 1, dtype, SAFE)
    taken: tl.constexpr = -(2**31) if dtype.primitive_bitwidth == 16 else -(2**63)
    key = tl.where(inside, key, taken)

    slot = tl.arange(0, BLOCK_K)
    best = tl.max(key, axis=0)
    top = _logit(best, dtype)
    chosen = tl.zeros([BLOCK_K], tl.float32)
    chosen_ids = tl.zeros([BLOCK_K], tl.int32)
    whole = 0.0
    for j in tl.static_range(K):
        expert = BLOCK_E - 1 - (best & (BLOCK_E - 1)).to(tl.int32)
        mine = _share(_logit(best, dtype), top)
        chosen = tl.where(slot == j, mine, chosen)
        chosen_ids = tl.where(slot == j, expert, chosen_ids)
        whole += mine
        if j + 1 < K:
            key = tl.where(key == best, taken, key)
            best = tl.max(key, axis=0)

    if not RENORMALISE:
        number = x.to(tl.float32)
        counts = inside & (number == number)
        whole = tl.sum(tl.where(counts, _share(number, top), 0.0), axis=0)
    chosen = tl.where(top == float("-inf"), 0.0, chosen / whole)
    tl.store(weights + row * K + slot, chosen, mask=slot < K)
    tl.store(ids + row * K + slot, chosen_ids, mask=slot < K)


def route(
    logits: Tensor, k: int, *, renormalise: bool = True, out: tuple[Tensor, Tensor] | None = None
) -> tuple[Tensor, Tensor]:
    """As `router_topk.route`, with the rows of `logits` contiguous in themselves or copied.

    logits: (tokens, experts), at most 4096 experts, on a device that Triton serves. out: contiguous weights
    and ids to write to, such as those that a CUDA graph has captured.
    Returns weights, float32 (tokens, k), and ids, int32 (tokens, k). Raises ValueError as `check` does.
    """
    check(logits, k)
    tokens, experts = logits.shape
    if experts > MOST_EXPERTS:
        raise ValueError(f"at most {MOST_EXPERTS} experts fit in one program, not {experts}")
    weights, ids = _outputs(logits, k) if out is None else out
    if out is not None:
        _check_outputs(weights, ids, (tokens, k), logits.device)
    if logits.stride(1) != 1:
        logits = logits.contiguous()
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
            num_warps=warps(experts, logits.element_size()),
        )
    return weights, ids


def warps(experts: int, bytes: int) -> int:
    """One while a row's keys fit its registers: a maximum over several goes through shared memory."""
    return 1 if experts * bytes <= 2048 else 4


def _outputs(logits: Tensor, k: int) -> tuple[Tensor, Tensor]:
    shape = (logits.shape[0], k)
    return (
        torch.empty(shape, dtype=torch.float32, device=logits.device),
        torch.empty(shape, dtype=torch.int32, device=logits.device),
    )


def _check_outputs(weights: Tensor, ids: Tensor, shape: tuple[int, int], device: torch.device) -> None:
    for name, one, dtype in (("weights", weights, torch.float32), ("ids", ids, torch.int32)):
        if (tuple(one.shape), one.dtype, one.device) != (shape, dtype, device) or not one.is_contiguous():
            raise ValueError(
                f"{name} must be contiguous {dtype} {shape} on {device}, "
                f"not {one.dtype} {tuple(one.shape)} on {one.device}"
            )

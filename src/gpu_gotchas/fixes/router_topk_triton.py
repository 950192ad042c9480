"""`router_topk.route` as one Triton kernel: one warp for each token, the row held in registers.

A row's logits become integer keys in the order of the floats, with the expert's number below them, so that
one integer maximum names the winner and settles ties, and its logit can be read back out of the key. Integers
have no NaN. Sixteen-bit logits leave room in the 32 bits of a float32, which halves what the warp exchanges,
and the next smaller key is then an addition and a maximum, which Hopper does in one instruction.

On NVIDIA's cards a row without NaN and infinity pays one comparison to be safe: adding zero makes every NaN
the one above plus infinity, so that it would win. Elsewhere each logit is cleaned.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from gpu_gotchas.fixes.router_topk import check

MOST_EXPERTS = 4096


@triton.jit
def _keys(x: tl.tensor, column: tl.tensor, last: tl.constexpr, clean: tl.constexpr) -> tl.tensor:
    """Integers in the order of `x`, sign and magnitude as one number; ties go to the lower column.

    clean: NaN ranks as minus infinity; else it lies beyond either infinity.
    """
    wide = x.to(tl.float32) + 0.0  # of the two zeros one is left
    if clean:
        wide = tl.where(wide == wide, wide, float("-inf"))
    bits = wide.to(tl.int32, bitcast=True)
    if x.dtype.primitive_bitwidth == 16:
        key = (bits ^ ((bits >> 31) & 0x7FFFE000)) | (last - column)
    else:
        key = ((bits ^ ((bits >> 31) & 0x7FFFFFFF)).to(tl.int64) << 32) | (last - column)
    return key


@triton.jit
def _logit(key: tl.tensor) -> tl.tensor:
    """The logit that a key was made of, in float32."""
    if key.dtype == tl.int32:
        ordered = key & -0x2000
        bits = ordered ^ ((ordered >> 31) & 0x7FFFE000)
    else:
        ordered = (key >> 32).to(tl.int32)
        bits = ordered ^ ((ordered >> 31) & 0x7FFFFFFF)
    return bits.to(tl.float32, bitcast=True)


@triton.jit
def _below(key: tl.tensor, best: tl.tensor) -> tl.tensor:
    """The largest key below `best`. What is not below it wraps around to a small number."""
    if key.dtype == tl.int32:
        return best + tl.max((key - best).to(tl.uint32, bitcast=True), axis=0).to(tl.int32, bitcast=True)
    else:
        return tl.max(tl.where(key < best, key, -(2**63)), axis=0)


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
    NAN_WINS: tl.constexpr = False,
) -> None:
    """One row of `experts` logits to K weights and ids; BLOCK_E and BLOCK_K are powers of two above them.

    SAFE: only a benchmark turns it off, to see what it costs. NAN_WINS: whether the card's addition makes
    every NaN positive, so that a row which holds one is told by its largest key.
    """
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK_E)
    inside = column < experts
    last: tl.constexpr = BLOCK_E - 1
    low = float("-inf")
    # Beyond the experts are the lowest of all: minus infinity, and a higher number than any other.
    x = tl.load(logits + row * row_stride + column, mask=inside, other=low)
    key = _keys(x, column, last, SAFE and not NAN_WINS)
    best = tl.max(key, axis=0)
    if SAFE and NAN_WINS:  # noqa: SIM102 - decided when the kernel is compiled
        if not (_logit(best) < float("inf")):
            x = tl.load(logits + row * row_stride + column, mask=inside, other=low)
            key = _keys(x, column, last, True)
            best = tl.max(key, axis=0)

    top = _logit(best)
    slot = tl.arange(0, BLOCK_K)
    shares = tl.where(slot == 0, 1.0, 0.0)
    chosen = tl.where(slot == 0, last - (best & last).to(tl.int32), 0)
    for j in tl.static_range(1, K):
        best = _below(key, best)
        shares = tl.where(slot == j, _share(_logit(best), top), shares)
        chosen = tl.where(slot == j, last - (best & last).to(tl.int32), chosen)

    if RENORMALISE:
        whole = tl.sum(shares, axis=0)
    else:
        number = x.to(tl.float32)
        counts = inside & (number == number)
        whole = tl.sum(tl.where(counts, _share(number, top), 0.0), axis=0)
    shares = tl.where(top == low, 0.0, shares / whole)
    tl.store(weights + row * K + slot, shares, mask=slot < K)
    tl.store(ids + row * K + slot, chosen, mask=slot < K)


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
            NAN_WINS=logits.is_cuda and torch.version.cuda is not None,
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

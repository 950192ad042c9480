"""Splits of a context into one result, weighted by their log-sum-exp; splits that hold no token count
nothing."""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor


@triton.jit(do_not_specialize=["splits"])
def merge_splits(
    partial: tl.tensor,
    partial_lse: tl.tensor,
    out: tl.tensor,
    lse: tl.tensor,
    splits: tl.tensor,
    HEADS: tl.constexpr,
    LATENT: tl.constexpr,
    BLOCK_S: tl.constexpr,
    BLOCK_D: tl.constexpr,
) -> None:
    """One head of one request, BLOCK_D of its columns; the program is (head, request, block of columns).

    partial: float32 (requests, splits, HEADS, LATENT), unwritten where a split is empty. partial_lse: float32
    (requests, splits, HEADS), of base 2, minus infinity where a split is empty. lse: natural.
    """
    head = tl.program_id(0)
    batch = tl.program_id(1).to(tl.int64)
    column = tl.program_id(2) * BLOCK_D + tl.arange(0, BLOCK_D)
    top = tl.full([], float("-inf"), tl.float32)
    total = tl.zeros([], tl.float32)
    acc = tl.zeros([BLOCK_D], tl.float32)
    for first in range(0, splits, BLOCK_S):
        split = first + tl.arange(0, BLOCK_S)
        place = (batch * splits + split) * HEADS + head
        found = tl.load(partial_lse + place, mask=split < splits, other=float("-inf"))
        part = tl.load(
            partial + place[:, None] * LATENT + column[None, :],
            mask=(found > float("-inf"))[:, None],
            other=0.0,
        )
        higher = tl.maximum(top, tl.max(found, 0))
        # Nothing found so far: infinity less infinity would be NaN.
        base = tl.where(higher == float("-inf"), 0.0, higher)
        share = tl.exp2(found - base)
        fade = tl.exp2(top - base)
        acc = acc * fade + tl.sum(share[:, None] * part, 0)
        total = total * fade + tl.sum(share, 0)
        top = higher
    place = batch * HEADS + head
    result = acc / tl.where(total > 0.0, total, 1.0)
    tl.store(out + place * LATENT + column, result.to(out.dtype.element_ty))
    if tl.program_id(2) == 0:
        tl.store(lse + place, (top + tl.log2(total)) * 0.6931471805599453)


def merge_parts(partial: Tensor, partial_lse: Tensor, out: Tensor, lse: Tensor, splits: int) -> None:
    """The parts of every row of `out` (..., heads, width) and of `lse` (..., heads) into them."""
    heads, width = out.shape[-2:]
    # A tile of at most 4096 elements: few splits leave room for whole rows.
    columns = width if splits <= 8 else min(128, width)
    merge_splits[(heads, lse.numel() // heads, width // columns)](
        partial,
        partial_lse,
        out,
        lse,
        splits,
        HEADS=heads,
        LATENT=width,
        BLOCK_S=min(4096 // columns, 1 << (splits - 1).bit_length()),
        BLOCK_D=columns,
        num_warps=4,
    )

"""What the kernels for few heads share: tokens are rows of the logits, latent columns are rows of the result,
heads are columns of both."""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    warpgroup_mma,
    warpgroup_mma_wait,
)

from gpu_gotchas.fixes.mla_decode.hopper import barrier, cap_logits


@gluon.jit
def results_of(  # type: ignore[no-untyped-def]
    out, batch, split, first_head, splits,
    HEADS: gl.constexpr, LATENT: gl.constexpr, BLOCK_H: gl.constexpr, LOGITS: gl.constexpr,
):  # fmt: skip
    """Where a program's results lie: (place of its split's first head, its heads, pointers to the output)."""
    place = (batch.to(gl.int64) * splits + split) * HEADS
    head = first_head + gl.arange(0, BLOCK_H, layout=gl.SliceLayout(0, LOGITS))
    column = gl.arange(0, LATENT, layout=gl.SliceLayout(1, LOGITS))
    return place, head, out + (place + head)[None, :] * LATENT + column[:, None]


@gluon.jit
def attend_block(  # type: ignore[no-untyped-def]
    tile, rope, q_tile, q_rope, p_tile, zero, factor, cap, start, end, top, total, acc, CAPPED: gl.constexpr
):
    """Attend to the block of tokens that is in shared memory; (top, total, acc) with it.

    Every warp has come past the copy into `tile` and `rope`, and is past their use in the end.
    """
    BLOCK_N: gl.constexpr = tile.shape[0]
    pending = warpgroup_mma(tile, q_tile.permute((1, 0)), zero, use_acc=False, is_async=True)
    pending = warpgroup_mma(rope, q_rope.permute((1, 0)), pending, is_async=True)
    s = warpgroup_mma_wait(0, deps=[pending])
    s = cap_logits(s * factor[None, :], cap, CAPPED)
    token = start + gl.arange(0, BLOCK_N, layout=gl.SliceLayout(1, zero.type.layout))
    s = gl.where((token < end)[:, None], s, float("-inf"))
    higher = gl.maximum(top, gl.max(s, 0))
    fade = gl.exp2(top - higher)
    p = gl.exp2(s - higher[None, :])
    total = total * fade[None, :] + p
    p_tile.store(p.to(p_tile.dtype))
    acc = acc * fade[None, :]
    fence_async_shared()
    barrier()
    adding = warpgroup_mma(tile.permute((1, 0)), p_tile, acc, is_async=True)
    acc = warpgroup_mma_wait(0, deps=[adding])
    barrier()
    return higher, total, acc


@gluon.jit
def store_result(  # type: ignore[no-untyped-def]
    out_at, lse, place, head, top, total, acc, weight, HEADS: gl.constexpr, WHOLE: gl.constexpr
):
    """Store what a split found; the log-sum-exp is natural where the split is the whole context."""
    sums = gl.sum(total, 0)
    found = top + gl.log2(sums)
    if WHOLE:
        found = found * 0.6931471805599453
    gl.store(lse + place + head, found, mask=head < HEADS)
    result = acc * (weight / sums)[None, :]
    gl.store(out_at, result.to(out_at.dtype.element_ty), mask=(head < HEADS)[None, :])


@gluon.jit
def store_nothing(out_at, lse, place, head, HEADS: gl.constexpr, WHOLE: gl.constexpr):  # type: ignore[no-untyped-def]
    """Say that a split holds no token."""
    nothing = gl.full(head.shape, float("-inf"), gl.float32, layout=head.type.layout)
    gl.store(lse + place + head, nothing, mask=head < HEADS)
    if WHOLE:
        zeros = gl.full(out_at.shape, 0.0, out_at.dtype.element_ty, layout=out_at.type.layout)
        gl.store(out_at, zeros, mask=(head < HEADS)[None, :])

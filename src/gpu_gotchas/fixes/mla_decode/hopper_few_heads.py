"""The kernel for compute capability 9.0, bfloat16 or float16 caches and at most 32 heads.

Tokens are the matrix unit's rows, as in the FP8 form. Nothing is widened, so copies go straight into one of
two tiles while the other is worked on. It moves bytes about as fast as the card copies them."""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    warpgroup_mma,
    warpgroup_mma_wait,
)

from gpu_gotchas.fixes.mla_decode.hopper import (
    barrier,
    cap_logits,
    copy_in,
    load_query,
    pages_of,
    rows_of,
    span,
)


@gluon.jit(do_not_specialize=["splits"])
def attend_few_heads(  # type: ignore[no-untyped-def]
    query,
    cache,
    table,
    contexts,
    out,
    lse,
    kv_scale,
    scale,
    cap,
    query_batch_stride,
    query_head_stride,
    page_stride,
    token_stride,
    table_stride,
    splits,
    fixed_scale,
    HEADS: gl.constexpr,
    LATENT: gl.constexpr,
    ROPE: gl.constexpr,
    PAGE: gl.constexpr,
    BLOCK_H: gl.constexpr,
    BLOCK_N: gl.constexpr,
    WIDENING: gl.constexpr,  # noqa: ARG001
    SCALED: gl.constexpr,
    CAPPED: gl.constexpr,
    WHOLE: gl.constexpr,
):
    """One block of heads over one split of one request's tokens. Arguments as in `launch`."""
    W: gl.constexpr = gl.num_warps()
    FP8: gl.constexpr = False
    DTYPE: gl.constexpr = query.dtype.element_ty
    LOAD: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [W, 1], [1, 0])
    ROW: gl.constexpr = gl.SliceLayout(1, LOAD)
    # Tokens are rows in the logits, latent columns are rows in the result; heads are columns in both.
    LOGITS: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [W, 1], [16, BLOCK_H, 16])
    S_HEAD: gl.constexpr = gl.SliceLayout(0, LOGITS)
    batch = gl.program_id(2)
    split = gl.program_id(1)
    first_head = gl.program_id(0) * BLOCK_H
    place = (batch.to(gl.int64) * splits + split) * HEADS
    head = first_head + gl.arange(0, BLOCK_H, layout=S_HEAD)
    out_column = gl.arange(0, LATENT, layout=gl.SliceLayout(1, LOGITS))
    out_at = out + (place + head)[None, :] * LATENT + out_column[:, None]
    begin, end = span(contexts, batch, split, splits, BLOCK_N)
    last = end - 1
    if begin < end:
        tiles = gl.allocate_shared_memory(
            DTYPE, [2, BLOCK_N, LATENT], gl.NVMMASharedLayout.get_default_for([BLOCK_N, LATENT], DTYPE)
        )
        ropes = gl.allocate_shared_memory(
            DTYPE, [2, BLOCK_N, ROPE], gl.NVMMASharedLayout.get_default_for([BLOCK_N, ROPE], DTYPE)
        )
        p_tile = gl.allocate_shared_memory(
            DTYPE, [BLOCK_N, BLOCK_H], gl.NVMMASharedLayout.get_default_for([BLOCK_N, BLOCK_H], DTYPE)
        )
        column = gl.arange(0, LATENT, layout=gl.SliceLayout(0, LOAD))
        rotary = LATENT + gl.arange(0, ROPE, layout=gl.SliceLayout(0, LOAD))
        table += batch.to(gl.int64) * table_stride
        page = pages_of(table, begin, last, PAGE, BLOCK_N, ROW)
        rows = rows_of(page, begin, last, page_stride, token_stride, PAGE, BLOCK_N, ROW)
        copy_in(tiles.index(0), cache + rows[:, None] + column[None, :])
        copy_in(ropes.index(0), cache + rows[:, None] + rotary[None, :])
        async_copy.commit_group()
        page = pages_of(table, begin + BLOCK_N, last, PAGE, BLOCK_N, ROW)
        weight = fixed_scale
        if SCALED:
            weight = weight * gl.load(kv_scale)
        q_latent, q_rotary, factor = load_query(
            query,
            batch,
            first_head,
            query_batch_stride,
            query_head_stride,
            HEADS,
            LATENT,
            ROPE,
            BLOCK_H,
            DTYPE,
            FP8,
        )
        factor = gl.convert_layout(factor, S_HEAD) * (scale * weight)
        q_tile = gl.allocate_shared_memory(
            DTYPE, [BLOCK_H, LATENT], gl.NVMMASharedLayout.get_default_for([BLOCK_H, LATENT], DTYPE), q_latent
        )
        q_rope = gl.allocate_shared_memory(
            DTYPE, [BLOCK_H, ROPE], gl.NVMMASharedLayout.get_default_for([BLOCK_H, ROPE], DTYPE), q_rotary
        )
        top = gl.full([BLOCK_H], float("-inf"), gl.float32, layout=S_HEAD)
        total = gl.full([BLOCK_N, BLOCK_H], 0.0, gl.float32, layout=LOGITS)
        zero = gl.full([BLOCK_N, BLOCK_H], 0.0, gl.float32, layout=LOGITS)
        acc = gl.full([LATENT, BLOCK_H], 0.0, gl.float32, layout=LOGITS)
        turn = 0
        for start in range(begin, end, BLOCK_N):
            after = start + BLOCK_N
            rows = rows_of(page, after, last, page_stride, token_stride, PAGE, BLOCK_N, ROW)
            copy_in(tiles.index(1 - turn), cache + rows[:, None] + column[None, :], mask=after < end)
            copy_in(ropes.index(1 - turn), cache + rows[:, None] + rotary[None, :], mask=after < end)
            async_copy.commit_group()
            page = pages_of(table, after + BLOCK_N, last, PAGE, BLOCK_N, ROW)
            tile = tiles.index(turn)
            rope = ropes.index(turn)
            async_copy.wait_group(1)
            fence_async_shared()
            barrier()
            pending = warpgroup_mma(tile, q_tile.permute((1, 0)), zero, use_acc=False, is_async=True)
            pending = warpgroup_mma(rope, q_rope.permute((1, 0)), pending, is_async=True)
            s = warpgroup_mma_wait(0, deps=[pending])
            s = cap_logits(s * factor[None, :], cap, CAPPED)
            token = start + gl.arange(0, BLOCK_N, layout=gl.SliceLayout(1, LOGITS))
            s = gl.where((token < end)[:, None], s, float("-inf"))
            higher = gl.maximum(top, gl.max(s, 0))
            fade = gl.exp2(top - higher)
            p = gl.exp2(s - higher[None, :])
            total = total * fade[None, :] + p
            top = higher
            p_tile.store(p.to(DTYPE))
            acc = acc * fade[None, :]
            fence_async_shared()
            barrier()
            adding = warpgroup_mma(tile.permute((1, 0)), p_tile, acc, is_async=True)
            acc = warpgroup_mma_wait(0, deps=[adding])
            barrier()
            turn = 1 - turn
        async_copy.wait_group(0)
        sums = gl.sum(total, 0)
        found = top + gl.log2(sums)
        if WHOLE:
            found = found * 0.6931471805599453
        gl.store(lse + place + head, found, mask=head < HEADS)
        result = acc * (weight / sums)[None, :]
        gl.store(out_at, result.to(out.dtype.element_ty), mask=(head < HEADS)[None, :])
    else:
        nothing = gl.full([BLOCK_H], float("-inf"), gl.float32, layout=S_HEAD)
        gl.store(lse + place + head, nothing, mask=head < HEADS)
        if WHOLE:
            zeros = gl.full([LATENT, BLOCK_H], 0.0, out.dtype.element_ty, layout=LOGITS)
            gl.store(out_at, zeros, mask=(head < HEADS)[None, :])

"""The kernel for compute capability 9.0, bfloat16 or float16 caches and at most 32 heads.

Tokens are the matrix unit's rows, as in the FP8 form. Nothing is widened, so copies go straight into one of
two tiles while the other is worked on. It moves bytes about as fast as the card copies them."""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared

from gpu_gotchas.fixes.mla_decode.hopper import (
    barrier,
    copy_in,
    new_tile,
    pages_of,
    rows_of,
    span,
    stage_query,
    two_tiles,
)
from gpu_gotchas.fixes.mla_decode.hopper_token_rows import (
    attend_block,
    results_of,
    store_nothing,
    store_result,
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
    place, head, out_at = results_of(out, batch, split, first_head, splits, HEADS, LATENT, BLOCK_H, LOGITS)
    begin, end = span(contexts, batch, split, splits, BLOCK_N)
    last = end - 1
    if begin < end:
        tiles = two_tiles(BLOCK_N, LATENT, DTYPE)
        ropes = two_tiles(BLOCK_N, ROPE, DTYPE)
        p_tile = new_tile(BLOCK_N, BLOCK_H, DTYPE)
        column = gl.arange(0, LATENT, layout=gl.SliceLayout(0, LOAD))
        rotary = LATENT + gl.arange(0, ROPE, layout=gl.SliceLayout(0, LOAD))
        table += batch.to(gl.int64) * table_stride
        page = pages_of(table, begin, last, PAGE, BLOCK_N, ROW)
        rows = rows_of(page, begin, last, page_stride, token_stride, PAGE, BLOCK_N, ROW)
        copy_in(tiles.index(0), cache + rows[:, None] + column[None, :])
        copy_in(ropes.index(0), cache + rows[:, None] + rotary[None, :])
        async_copy.commit_group()
        page = pages_of(table, begin + BLOCK_N, last, PAGE, BLOCK_N, ROW)
        q_tile, q_rope, factor, weight = stage_query(
            query, kv_scale, scale, fixed_scale, batch, first_head, query_batch_stride, query_head_stride,
            HEADS, LATENT, ROPE, BLOCK_H, DTYPE, FP8, False, SCALED, S_HEAD,
        )  # fmt: skip
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
            top, total, acc = attend_block(
                tile, rope, q_tile, q_rope, p_tile, zero, factor, cap, start, end, top, total, acc, CAPPED
            )
            turn = 1 - turn
        async_copy.wait_group(0)
        store_result(out_at, lse, place, head, top, total, acc, weight, HEADS, WHOLE)
    else:
        store_nothing(out_at, lse, place, head, HEADS, WHOLE)

"""The kernel for compute capability 9.0 and 33 heads or more: a block of 64 heads is the matrix unit's rows.

Two buffers of 64 tokens. While the matrix units multiply one block's keys, the next block is widened or
copied into the other buffer. Eight warps: each group of four has half of the tokens' logits and half of the
output's columns. What a product reads is complete before the next product is issued: leaving one in flight
across iterations makes the compiler wait after every single instruction."""

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
    new_tile,
    pages_of,
    put,
    rows_of,
    span,
    stage_query,
    two_tiles,
    words_at,
)


@gluon.jit(do_not_specialize=["splits"])
def attend_many_heads(  # type: ignore[no-untyped-def]
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
    WIDENING: gl.constexpr,
    SCALED: gl.constexpr,
    CAPPED: gl.constexpr,
    WHOLE: gl.constexpr,
):
    """One block of heads over one split of one request's tokens. Arguments as in `launch`.

    The program is (head block, split, request): blocks of heads that read the same tokens run together.
    """
    W: gl.constexpr = gl.num_warps()
    FP8: gl.constexpr = WIDENING != "none"
    BITS: gl.constexpr = WIDENING == "bits"
    DTYPE: gl.constexpr = gl.float16 if FP8 else query.dtype.element_ty
    # A warp loads 64 bytes of eight rows, or 128 of four: what lands in shared memory meets no bank twice.
    LOAD: gl.constexpr = gl.BlockedLayout(
        [1, 4] if FP8 else [1, 8], [8, 4] if FP8 else [4, 8], [W, 1], [1, 0]
    )
    ROW: gl.constexpr = gl.SliceLayout(1, LOAD)
    LOGITS: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, W // 4], [16, BLOCK_N // (W // 4), 16])
    RESULT: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, W // 4], [16, LATENT // (W // 4), 16])
    S_HEAD: gl.constexpr = gl.SliceLayout(1, LOGITS)
    O_HEAD: gl.constexpr = gl.SliceLayout(1, RESULT)
    batch = gl.program_id(2)
    split = gl.program_id(1)
    first_head = gl.program_id(0) * BLOCK_H
    place = (batch.to(gl.int64) * splits + split) * HEADS
    s_head = first_head + gl.arange(0, BLOCK_H, layout=S_HEAD)
    o_head = first_head + gl.arange(0, BLOCK_H, layout=O_HEAD)
    o_column = gl.arange(0, LATENT, layout=gl.SliceLayout(0, RESULT))
    o_at = out + (place + o_head)[:, None] * LATENT + o_column[None, :]
    begin, end = span(contexts, batch, split, splits, BLOCK_N)
    last = end - 1
    if begin < end:
        q_tile, q_rope, factor, weight = stage_query(
            query, kv_scale, scale, fixed_scale, batch, first_head, query_batch_stride, query_head_stride,
            HEADS, LATENT, ROPE, BLOCK_H, DTYPE, FP8, BITS, SCALED, S_HEAD,
        )  # fmt: skip
        tiles = two_tiles(BLOCK_N, LATENT, DTYPE)
        ropes = two_tiles(BLOCK_N, ROPE, DTYPE)
        p_tile = new_tile(BLOCK_H, BLOCK_N, DTYPE)
        PER: gl.constexpr = 4 if FP8 else 1
        column = gl.arange(0, LATENT // PER, layout=gl.SliceLayout(0, LOAD))
        rotary = LATENT // PER + gl.arange(0, ROPE // PER, layout=gl.SliceLayout(0, LOAD))
        table += batch.to(gl.int64) * table_stride
        page = pages_of(table, begin, last, PAGE, BLOCK_N, ROW)
        rows = rows_of(page, begin, last, page_stride, token_stride, PAGE, BLOCK_N, ROW)
        page = pages_of(table, begin + BLOCK_N, last, PAGE, BLOCK_N, ROW)
        if FP8:
            codes = gl.load(words_at(cache, rows)[:, None] + column[None, :])
            rope_codes = gl.load(words_at(cache, rows)[:, None] + rotary[None, :])
            put(codes, tiles.index(0), 0, BITS)
            put(rope_codes, ropes.index(0), 0, BITS)
            rows = rows_of(page, begin + BLOCK_N, last, page_stride, token_stride, PAGE, BLOCK_N, ROW)
            more = begin + BLOCK_N < end
            codes = gl.load(words_at(cache, rows)[:, None] + column[None, :], mask=more)
            rope_codes = gl.load(words_at(cache, rows)[:, None] + rotary[None, :], mask=more)
            page = pages_of(table, begin + 2 * BLOCK_N, last, PAGE, BLOCK_N, ROW)
        else:
            copy_in(tiles.index(0), cache + rows[:, None] + column[None, :])
            copy_in(ropes.index(0), cache + rows[:, None] + rotary[None, :])
            async_copy.commit_group()
            async_copy.wait_group(0)
        fence_async_shared()
        barrier()
        top = gl.full([BLOCK_H], float("-inf"), gl.float32, layout=S_HEAD)
        total = gl.full([BLOCK_H, BLOCK_N], 0.0, gl.float32, layout=LOGITS)
        zero = gl.full([BLOCK_H, BLOCK_N], 0.0, gl.float32, layout=LOGITS)
        acc = gl.full([BLOCK_H, LATENT], 0.0, gl.float32, layout=RESULT)
        turn = 0
        for start in range(begin, end, BLOCK_N):
            tile = tiles.index(turn)
            pending = warpgroup_mma(q_tile, tile.permute((1, 0)), zero, use_acc=False, is_async=True)
            pending = warpgroup_mma(q_rope, ropes.index(turn).permute((1, 0)), pending, is_async=True)
            after = start + BLOCK_N
            if FP8:
                put(codes, tiles.index(1 - turn), 0, BITS)
                put(rope_codes, ropes.index(1 - turn), 0, BITS)
            else:
                rows = rows_of(page, after, last, page_stride, token_stride, PAGE, BLOCK_N, ROW)
                copy_in(tiles.index(1 - turn), cache + rows[:, None] + column[None, :], mask=after < end)
                copy_in(ropes.index(1 - turn), cache + rows[:, None] + rotary[None, :], mask=after < end)
                async_copy.commit_group()
                page = pages_of(table, after + BLOCK_N, last, PAGE, BLOCK_N, ROW)
            s = warpgroup_mma_wait(0, deps=[pending])
            s = cap_logits(s * factor[:, None], cap, CAPPED)
            token = start + gl.arange(0, BLOCK_N, layout=gl.SliceLayout(0, LOGITS))
            s = gl.where((token < end)[None, :], s, float("-inf"))
            higher = gl.maximum(top, gl.max(s, 1))
            fade = gl.exp2(top - higher)
            p = gl.exp2(s - higher[:, None])
            total = total * fade[:, None] + p
            top = higher
            p_tile.store(p.to(DTYPE))
            acc = acc * gl.convert_layout(fade, O_HEAD)[:, None]
            if not FP8:
                async_copy.wait_group(0)
            fence_async_shared()
            barrier()
            adding = warpgroup_mma(p_tile, tile, acc, is_async=True)
            if FP8:
                # After the fence, which would wait for these loads.
                rows = rows_of(page, after + BLOCK_N, last, page_stride, token_stride, PAGE, BLOCK_N, ROW)
                more = after + BLOCK_N < end
                codes = gl.load(words_at(cache, rows)[:, None] + column[None, :], mask=more)
                rope_codes = gl.load(words_at(cache, rows)[:, None] + rotary[None, :], mask=more)
                page = pages_of(table, after + 2 * BLOCK_N, last, PAGE, BLOCK_N, ROW)
            acc = warpgroup_mma_wait(0, deps=[adding])
            barrier()
            turn = 1 - turn
        sums = gl.sum(total, 1)
        found = top + gl.log2(sums)
        if WHOLE:
            found = found * 0.6931471805599453
        gl.store(lse + place + s_head, found, mask=s_head < HEADS)
        result = acc * gl.convert_layout(weight / sums, O_HEAD)[:, None]
        gl.store(o_at, result.to(out.dtype.element_ty), mask=(o_head < HEADS)[:, None])
    else:
        nothing = gl.full([BLOCK_H], float("-inf"), gl.float32, layout=S_HEAD)
        gl.store(lse + place + s_head, nothing, mask=s_head < HEADS)
        if WHOLE:
            zeros = gl.full([BLOCK_H, LATENT], 0.0, out.dtype.element_ty, layout=RESULT)
            gl.store(o_at, zeros, mask=(o_head < HEADS)[:, None])

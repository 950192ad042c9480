"""The kernel for compute capability 9.0, FP8 and at most 32 heads: the tokens are the matrix unit's rows.

With few heads the cache is what takes time, so two programs share a multiprocessor, each with one float16
tile of 64 tokens. The next block's codes are on their way meanwhile: half of them into shared memory, as
much as is left, the other half into registers. All in registers would be more than the first-level cache can
have in flight, and all in shared memory leaves room for one program.

What binds is shared memory, at 83 % of what it can pass on by the card's counters (DRAM: 54 %): a number is
written once and read twice as float16. Keys multiplied from the registers that they were widened in save one
of the reads, and were a quarter slower: the lanes hold them in another order than the matrix unit wants.
"""

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
    put,
    rows_of,
    span,
    stage_query,
    words_at,
)
from gpu_gotchas.fixes.mla_decode.hopper_token_rows import (
    attend_block,
    results_of,
    store_nothing,
    store_result,
)


@gluon.jit(do_not_specialize=["splits"])
def attend_few_heads_fp8(  # type: ignore[no-untyped-def]
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
    """One block of heads over one split of one request's tokens. Arguments as in `launch`."""
    W: gl.constexpr = gl.num_warps()
    BITS: gl.constexpr = WIDENING == "bits"
    FP8: gl.constexpr = True
    DTYPE: gl.constexpr = gl.float16
    HALF: gl.constexpr = BLOCK_N // 2
    # A warp loads 64 bytes of eight rows; the staged half is swizzled so that it meets no bank twice either.
    LOAD: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [W, 1], [1, 0])
    ROW: gl.constexpr = gl.SliceLayout(1, LOAD)
    STAGED: gl.constexpr = gl.SwizzledSharedLayout(16, 1, 2, [1, 0])
    STAGED_ROPE: gl.constexpr = gl.SwizzledSharedLayout(4, 1, 1, [1, 0])
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
        tile = new_tile(BLOCK_N, LATENT, DTYPE)
        rope = new_tile(BLOCK_N, ROPE, DTYPE)
        p_tile = new_tile(BLOCK_N, BLOCK_H, DTYPE)
        staged = gl.allocate_shared_memory(gl.int32, [HALF, LATENT // 4], STAGED)
        staged_rope = gl.allocate_shared_memory(gl.int32, [HALF, ROPE // 4], STAGED_ROPE)
        column = gl.arange(0, LATENT // 4, layout=gl.SliceLayout(0, LOAD))
        rotary = LATENT // 4 + gl.arange(0, ROPE // 4, layout=gl.SliceLayout(0, LOAD))
        table += batch.to(gl.int64) * table_stride
        page = pages_of(table, begin, last, PAGE, HALF, ROW)
        page_2 = pages_of(table, begin + HALF, last, PAGE, HALF, ROW)
        rows = rows_of(page, begin, last, page_stride, token_stride, PAGE, HALF, ROW)
        rows_2 = rows_of(page_2, begin + HALF, last, page_stride, token_stride, PAGE, HALF, ROW)
        copy_in(staged, words_at(cache, rows)[:, None] + column[None, :])
        copy_in(staged_rope, words_at(cache, rows)[:, None] + rotary[None, :])
        async_copy.commit_group()
        codes = gl.load(words_at(cache, rows_2)[:, None] + column[None, :])
        rope_codes = gl.load(words_at(cache, rows_2)[:, None] + rotary[None, :])
        page = pages_of(table, begin + BLOCK_N, last, PAGE, HALF, ROW)
        page_2 = pages_of(table, begin + BLOCK_N + HALF, last, PAGE, HALF, ROW)
        q_tile, q_rope, factor, weight = stage_query(
            query, kv_scale, scale, fixed_scale, batch, first_head, query_batch_stride, query_head_stride,
            HEADS, LATENT, ROPE, BLOCK_H, DTYPE, FP8, BITS, SCALED, S_HEAD,
        )  # fmt: skip
        top = gl.full([BLOCK_H], float("-inf"), gl.float32, layout=S_HEAD)
        total = gl.full([BLOCK_N, BLOCK_H], 0.0, gl.float32, layout=LOGITS)
        zero = gl.full([BLOCK_N, BLOCK_H], 0.0, gl.float32, layout=LOGITS)
        acc = gl.full([LATENT, BLOCK_H], 0.0, gl.float32, layout=LOGITS)
        for start in range(begin, end, BLOCK_N):
            put(codes, tile, HALF, BITS)
            put(rope_codes, rope, HALF, BITS)
            async_copy.wait_group(0)
            put(staged.load(LOAD), tile, 0, BITS)
            put(staged_rope.load(LOAD), rope, 0, BITS)
            after = start + BLOCK_N
            more = after < end
            rows = rows_of(page, after, last, page_stride, token_stride, PAGE, HALF, ROW)
            rows_2 = rows_of(page_2, after + HALF, last, page_stride, token_stride, PAGE, HALF, ROW)
            copy_in(staged, words_at(cache, rows)[:, None] + column[None, :], mask=more)
            copy_in(staged_rope, words_at(cache, rows)[:, None] + rotary[None, :], mask=more)
            async_copy.commit_group()
            codes = gl.load(words_at(cache, rows_2)[:, None] + column[None, :], mask=more)
            rope_codes = gl.load(words_at(cache, rows_2)[:, None] + rotary[None, :], mask=more)
            page = pages_of(table, after + BLOCK_N, last, PAGE, HALF, ROW)
            page_2 = pages_of(table, after + BLOCK_N + HALF, last, PAGE, HALF, ROW)
            fence_async_shared()
            barrier()
            top, total, acc = attend_block(
                tile, rope, q_tile, q_rope, p_tile, zero, factor, cap, start, end, top, total, acc, CAPPED
            )
        async_copy.wait_group(0)
        store_result(out_at, lse, place, head, top, total, acc, weight, HEADS, WHOLE)
    else:
        store_nothing(out_at, lse, place, head, HEADS, WHOLE)

"""The kernel for every target: heads are the matrix unit's rows, tokens stream by, Triton does the rest."""

from __future__ import annotations

import triton
import triton.language as tl

from gpu_gotchas.fixes.split_kv.widening import widen


@triton.jit(do_not_specialize=["splits"])
def attend(
    query: tl.tensor,
    cache: tl.tensor,
    table: tl.tensor,
    contexts: tl.tensor,
    out: tl.tensor,
    lse: tl.tensor,
    kv_scale: tl.tensor,
    scale: tl.tensor,
    cap: tl.tensor,
    query_batch_stride: tl.tensor,
    query_head_stride: tl.tensor,
    page_stride: tl.tensor,
    token_stride: tl.tensor,
    table_stride: tl.tensor,
    splits: tl.tensor,
    fixed_scale: tl.tensor,
    HEADS: tl.constexpr,
    LATENT: tl.constexpr,
    ROPE: tl.constexpr,
    PAGE: tl.constexpr,
    BLOCK_H: tl.constexpr,
    BLOCK_N: tl.constexpr,
    WIDENING: tl.constexpr,
    SCALED: tl.constexpr,
    CAPPED: tl.constexpr,
    WHOLE: tl.constexpr,
) -> None:
    """One block of heads over one split of one request's tokens. Arguments as in `launch`.

    The program is (head block, split, request): blocks of heads that read the same tokens run together.
    """
    batch = tl.program_id(2)
    split = tl.program_id(1)
    head = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)
    inside = head < HEADS
    column = tl.arange(0, LATENT)
    rotary = LATENT + tl.arange(0, ROPE)
    place = (batch.to(tl.int64) * splits + split) * HEADS + head
    out_at = out + place[:, None] * LATENT + column[None, :]

    context = tl.load(contexts + batch)
    each = tl.cdiv(tl.cdiv(context, splits), BLOCK_N) * BLOCK_N
    begin = split * each
    end = tl.minimum(begin + each, context)
    if begin < end:
        row = query + batch.to(tl.int64) * query_batch_stride + head * query_head_stride
        q = tl.load(row[:, None] + column[None, :], mask=inside[:, None], other=0.0)
        q_rotary = tl.load(row[:, None] + rotary[None, :], mask=inside[:, None], other=0.0)
        weight = fixed_scale * (1.0 if (WIDENING == "none" or WIDENING == "instruction") else 256.0)
        if SCALED:
            weight = weight * tl.load(kv_scale)
        factor = tl.full([BLOCK_H], 1.0, tl.float32) * (scale * weight)
        if WIDENING != "none":
            # A power of two brings each row to at most 2, so that bfloat16 fits float16.
            wide = q.to(tl.float32)
            wide_rotary = q_rotary.to(tl.float32)
            largest = tl.maximum(tl.max(tl.abs(wide), 1), tl.max(tl.abs(wide_rotary), 1))
            exponent = largest.to(tl.int32, bitcast=True) & 0x7F800000
            down = tl.maximum(0x7F000000 - exponent, 0x00800000).to(tl.float32, bitcast=True)
            q = (wide * down[:, None]).to(tl.float16)
            q_rotary = (wide_rotary * down[:, None]).to(tl.float16)
            factor = factor * exponent.to(tl.float32, bitcast=True)

        table += batch.to(tl.int64) * table_stride
        top = tl.full([BLOCK_H], float("-inf"), tl.float32)
        total = tl.zeros([BLOCK_H], tl.float32)
        acc = tl.zeros([BLOCK_H, LATENT], tl.float32)
        for start in range(begin, end, BLOCK_N):
            token = start + tl.arange(0, BLOCK_N)
            # Beyond the end the last token is read again, so that no load needs a mask.
            read = tl.minimum(token, end - 1)
            page = tl.load(table + read // PAGE).to(tl.int64)
            kv = cache + (page * page_stride + (read % PAGE) * token_stride)
            k = widen(tl.load(kv[:, None] + column[None, :]), WIDENING)
            k_rotary = widen(tl.load(kv[:, None] + rotary[None, :]), WIDENING)
            s = tl.dot(q, tl.trans(k))
            s = tl.dot(q_rotary, tl.trans(k_rotary), s) * factor[:, None]
            if CAPPED:
                s = cap * (1.0 - 2.0 / (1.0 + tl.exp(s * (2.0 / cap))))
            s = s * 1.4426950408889634
            s = tl.where((token < end)[None, :], s, float("-inf"))
            higher = tl.maximum(top, tl.max(s, 1))
            fade = tl.exp2(top - higher)
            p = tl.exp2(s - higher[:, None])
            total = total * fade + tl.sum(p, 1)
            acc = tl.dot(p.to(k.dtype), k, acc * fade[:, None])
            top = higher
        found = top + tl.log2(total)
        if WHOLE:
            found = found * 0.6931471805599453
        tl.store(lse + place, found, mask=inside)
        result = acc * (weight / total)[:, None]
        tl.store(out_at, result.to(out.dtype.element_ty), mask=inside[:, None])
    else:
        tl.store(lse + place, tl.full([BLOCK_H], float("-inf"), tl.float32), mask=inside)
        if WHOLE:
            zeros = tl.zeros([BLOCK_H, LATENT], out.dtype.element_ty)
            tl.store(out_at, zeros, mask=inside[:, None])

"""The decode kernel: the query heads of a group are the rows of one product; each byte is read once."""

from __future__ import annotations

import triton
import triton.language as tl

from gpu_gotchas.fixes.page_offsets import page_of, place_of
from gpu_gotchas.fixes.split_kv.widening import widen
from gpu_gotchas.fixes.turboquant.unpacking import load_pairs, unpack_pair, unpack_steps


@triton.jit(do_not_specialize=["splits"])
def attend(
    query: tl.tensor,
    cache: tl.tensor,
    table: tl.tensor,
    contexts: tl.tensor,
    pairs: tl.tensor,
    out: tl.tensor,
    lse: tl.tensor,
    scale: tl.tensor,
    query_request_stride: tl.tensor,
    query_head_stride: tl.tensor,
    page_stride: tl.tensor,
    table_stride: tl.tensor,
    splits: tl.tensor,
    HEADS: tl.constexpr,
    GROUP: tl.constexpr,
    HEAD: tl.constexpr,
    PAGE: tl.constexpr,
    SLOT: tl.constexpr,
    TOKEN_STRIDE: tl.constexpr,
    KEY_BYTES: tl.constexpr,
    KEY_BITS: tl.constexpr,
    VALUE_BITS: tl.constexpr,
    WIDENING: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    WHOLE: tl.constexpr,
) -> None:
    """One group over one split of one request's tokens; the program is (KV head, split, request).

    With keys of 8 bits query is as the model made it, else rotated, and `pairs` holds the centroids of each
    pair of indices.
    Other arguments as in `launch.decode`.
    """
    request = tl.program_id(2).to(tl.int64)
    split = tl.program_id(1)
    row = tl.arange(0, BLOCK_M)
    head = tl.program_id(0) * GROUP + row
    live = row < GROUP
    half = tl.arange(0, HEAD // 2)
    place = (request * splits + split) * HEADS + head
    even = out + place[:, None] * HEAD + half[None, :] * 2

    context = tl.load(contexts + request)
    each = tl.cdiv(tl.cdiv(context, splits), BLOCK_N) * BLOCK_N
    begin = split * each
    end = tl.minimum(begin + each, context)
    if begin < end:
        rows = (query + request * query_request_stride + head * query_head_stride)[:, None]
        # Of a pair the even number is in the low bits: even and odd columns are two products.
        q_even = tl.load(rows + half[None, :] * 2, mask=live[:, None], other=0.0).to(tl.float32)
        q_odd = tl.load(rows + half[None, :] * 2 + 1, mask=live[:, None], other=0.0).to(tl.float32)
        # A power of two brings each row to at most 2, so that bfloat16 fits float16.
        largest = tl.maximum(tl.max(tl.abs(q_even), 1), tl.max(tl.abs(q_odd), 1))
        exponent = tl.maximum(largest.to(tl.int32, bitcast=True) & 0x7F800000, 0x00800000)
        down = tl.maximum(0x7F000000 - exponent, 0x00800000).to(tl.float32, bitcast=True)
        factor = exponent.to(tl.float32, bitcast=True) * (scale * 1.4426950408889634)
        if KEY_BITS == 8:
            column = tl.arange(0, HEAD)
            q = tl.load(rows + column[None, :], mask=live[:, None], other=0.0).to(tl.float32)
            q = (q * down[:, None]).to(tl.float16)
            if WIDENING != "instruction":
                factor = factor * 256.0
        else:
            q_low = (q_even * down[:, None]).to(tl.float16)
            q_high = (q_odd * down[:, None]).to(tl.float16)

        table += request * table_stride
        cache += tl.program_id(0).to(tl.int64) * SLOT
        top = tl.full([BLOCK_M], float("-inf"), tl.float32)
        total = tl.zeros([BLOCK_M], tl.float32)
        zeros = tl.zeros([BLOCK_M], tl.float32)
        acc_low = tl.zeros([BLOCK_M, HEAD // 2], tl.float32)
        acc_high = tl.zeros([BLOCK_M, HEAD // 2], tl.float32)
        for start in range(begin, end, BLOCK_N):
            token = start + tl.arange(0, BLOCK_N)
            # Beyond the end the last token is read again, so that no load needs a mask.
            read = tl.minimum(token, end - 1)
            at = cache + place_of(page_of(table, read, PAGE), read, page_stride, TOKEN_STRIDE, PAGE)
            if KEY_BITS == 8:
                k = widen(tl.load(at[:, None] + column[None, :]), WIDENING)
                s = tl.dot(q, tl.trans(k)) * factor[:, None]
            else:
                packed = load_pairs(at, half, KEY_BITS).to(tl.int32)
                k_low, k_high = unpack_pair(tl.load(pairs + packed))
                squares = k_low.to(tl.float32) * k_low.to(tl.float32)
                squares = tl.sum(squares + k_high.to(tl.float32) * k_high.to(tl.float32), 1)
                norm = tl.load((at + (KEY_BYTES - 2)).to(tl.pointer_type(tl.float16))).to(tl.float32)
                s = tl.dot(q_low, tl.trans(k_low))
                s = tl.dot(q_high, tl.trans(k_high), s)
                s = s * factor[:, None] * (norm * tl.rsqrt(squares))[None, :]
            s = tl.where((token < end)[None, :], s, float("-inf"))
            higher = tl.maximum(top, tl.max(s, 1))
            fade = tl.exp2(top - higher)
            p = tl.exp2(s - higher[:, None])
            total = total * fade + tl.sum(p, 1)
            top = higher

            # A value is step * scale + zero. The scale goes into the weights, brought near 1 for float16.
            codes = load_pairs(at + KEY_BYTES, half, VALUE_BITS)
            low, high = unpack_steps(codes, WIDENING == "bits", VALUE_BITS)
            number = (at + (KEY_BYTES + HEAD * VALUE_BITS // 8)).to(tl.pointer_type(tl.float16))
            size = tl.load(number).to(tl.float32)
            zero = tl.load(number + 1).to(tl.float32)
            raised = tl.max(size, 0).to(tl.int32, bitcast=True) & 0x7F800000
            raised = tl.maximum(raised, 0x30000000)
            lowered = (0x7F000000 - raised).to(tl.float32, bitcast=True)
            back = raised.to(tl.float32, bitcast=True) * 131072.0
            weights = (p * (size * lowered)[None, :]).to(tl.float16)
            zeros = zeros * fade + tl.sum(p * zero[None, :], 1)
            acc_low = acc_low * fade[:, None] + tl.dot(weights, low) * back
            acc_high = acc_high * fade[:, None] + tl.dot(weights, high) * back
        found = top + tl.log2(total)
        if WHOLE:
            found = found * 0.6931471805599453
        tl.store(lse + place, found, mask=live)
        low_result = (acc_low + zeros[:, None]) / total[:, None]
        high_result = (acc_high + zeros[:, None]) / total[:, None]
        tl.store(even, low_result.to(out.dtype.element_ty), mask=live[:, None])
        tl.store(even + 1, high_result.to(out.dtype.element_ty), mask=live[:, None])
    else:
        tl.store(lse + place, tl.full([BLOCK_M], float("-inf"), tl.float32), mask=live)
        if WHOLE:
            nothing = tl.zeros([BLOCK_M, HEAD // 2], out.dtype.element_ty)
            tl.store(even, nothing, mask=live[:, None])
            tl.store(even + 1, nothing, mask=live[:, None])

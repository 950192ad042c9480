"""The kernel for every target: the query tokens of all heads that share keys are the rows of one product."""

from __future__ import annotations

import triton
import triton.language as tl

from gpu_gotchas.fixes.page_offsets import page_of, place_of
from gpu_gotchas.fixes.split_kv.widening import widen

FLOOR = tl.constexpr(-1e30)
"""What a row's largest logit starts from: finite, so that a row that sees no key at all has no NaN."""


@triton.jit(do_not_specialize=["splits"])
def attend(
    query: tl.tensor,
    keys: tl.tensor,
    values: tl.tensor,
    table: tl.tensor,
    contexts: tl.tensor,
    lengths: tl.tensor,
    masks: tl.tensor,
    out: tl.tensor,
    lse: tl.tensor,
    key_scale: tl.tensor,
    value_scale: tl.tensor,
    scale: tl.tensor,
    fixed_key_scale: tl.tensor,
    fixed_value_scale: tl.tensor,
    query_request_stride: tl.tensor,
    query_token_stride: tl.tensor,
    query_head_stride: tl.tensor,
    key_page_stride: tl.tensor,
    key_token_stride: tl.tensor,
    key_head_stride: tl.tensor,
    value_page_stride: tl.tensor,
    value_token_stride: tl.tensor,
    value_head_stride: tl.tensor,
    table_stride: tl.tensor,
    splits: tl.tensor,
    QUERIES: tl.constexpr,
    HEADS: tl.constexpr,
    GROUP: tl.constexpr,
    HEAD: tl.constexpr,
    PAGE: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    WIDENING: tl.constexpr,
    TREE: tl.constexpr,
    RAGGED: tl.constexpr,
    KEY_SCALED: tl.constexpr,
    VALUE_SCALED: tl.constexpr,
    WHOLE: tl.constexpr,
) -> None:
    """One block of rows over one split of one request's tokens. Arguments as in `launch.verify`.

    The program is (row block of a KV head, split, request): blocks that read the same tokens run together.
    """
    blocks: tl.constexpr = (QUERIES * GROUP + BLOCK_M - 1) // BLOCK_M
    request = tl.program_id(2).to(tl.int64)
    split = tl.program_id(1)
    kv_head = tl.program_id(0) // blocks
    row = (tl.program_id(0) % blocks) * BLOCK_M + tl.arange(0, BLOCK_M)
    index = row // GROUP
    head = kv_head * GROUP + row % GROUP
    column = tl.arange(0, HEAD)
    written = index < QUERIES
    length = QUERIES
    if RAGGED:
        length = tl.load(lengths + request)
    live = index < length
    place = ((request * QUERIES + index) * splits + split) * HEADS + head
    out_at = out + place[:, None] * HEAD + column[None, :]

    context = tl.load(contexts + request)
    prefix = context - length  # tokens that every query sees
    each = tl.cdiv(tl.cdiv(context, splits), BLOCK_N) * BLOCK_N
    begin = split * each
    end = tl.minimum(begin + each, context)
    if begin < end:
        rows = query + request * query_request_stride + index * query_token_stride + head * query_head_stride
        q = tl.load(rows[:, None] + column[None, :], mask=live[:, None], other=0.0)
        power = 1.0 if (WIDENING == "none" or WIDENING == "instruction") else 256.0
        key_weight = fixed_key_scale * power
        value_weight = fixed_value_scale * power
        if KEY_SCALED:
            key_weight = key_weight * tl.load(key_scale)
        if VALUE_SCALED:
            value_weight = value_weight * tl.load(value_scale)
        factor = tl.full([BLOCK_M], 1.4426950408889634, tl.float32) * (scale * key_weight)
        if WIDENING != "none":
            # A power of two brings each row to at most 2, so that bfloat16 fits float16.
            wide = q.to(tl.float32)
            exponent = tl.max(tl.abs(wide), 1).to(tl.int32, bitcast=True) & 0x7F800000
            exponent = tl.maximum(exponent, 0x00800000)
            down = tl.maximum(0x7F000000 - exponent, 0x00800000).to(tl.float32, bitcast=True)
            q = (wide * down[:, None]).to(tl.float16)
            factor = factor * exponent.to(tl.float32, bitcast=True)
        # Bit j of a row's word says whether it sees draft token j.
        if TREE:
            word = tl.load(masks + request * QUERIES + index, mask=live, other=0)
        else:
            word = ((tl.full([BLOCK_M], 1, tl.int64) << index.to(tl.int64)) << 1) - 1

        table += request * table_stride
        keys += kv_head.to(tl.int64) * key_head_stride
        values += kv_head.to(tl.int64) * value_head_stride
        top = tl.full([BLOCK_M], FLOOR, tl.float32)
        total = tl.zeros([BLOCK_M], tl.float32)
        acc = tl.zeros([BLOCK_M, HEAD], tl.float32)
        # Blocks of tokens that every row sees need no mask; the few that hold draft tokens follow.
        plain = tl.maximum(tl.minimum(prefix, end) - begin, 0) // BLOCK_N * BLOCK_N + begin
        for start in range(begin, plain, BLOCK_N):
            token = start + tl.arange(0, BLOCK_N)
            page = page_of(table, token, PAGE)
            place_k = place_of(page, token, key_page_stride, key_token_stride, PAGE)
            place_v = place_of(page, token, value_page_stride, value_token_stride, PAGE)
            k = widen(tl.load(keys + place_k[:, None] + column[None, :]), WIDENING)
            v = widen(tl.load(values + place_v[:, None] + column[None, :]), WIDENING)
            s = tl.dot(q, tl.trans(k))
            top, total, acc = _weigh(s, v, factor, top, total, acc)
        for start in range(plain, end, BLOCK_N):
            token = start + tl.arange(0, BLOCK_N)
            # Beyond the end the last token is read again, so that no load needs a mask.
            read = tl.minimum(token, end - 1)
            page = page_of(table, read, PAGE)
            place_k = place_of(page, read, key_page_stride, key_token_stride, PAGE)
            place_v = place_of(page, read, value_page_stride, value_token_stride, PAGE)
            k = widen(tl.load(keys + place_k[:, None] + column[None, :]), WIDENING)
            v = widen(tl.load(values + place_v[:, None] + column[None, :]), WIDENING)
            s = tl.dot(q, tl.trans(k))
            draft = token - prefix
            bit = (word[:, None] >> tl.minimum(tl.maximum(draft, 0), 63).to(tl.int64)[None, :]) & 1
            seen = ((bit != 0) | (draft < 0)[None, :]) & (token < end)[None, :]
            s = tl.where(seen, s, float("-inf"))
            top, total, acc = _weigh(s, v, factor, top, total, acc)
        found = tl.where(live & (total > 0.0), top + tl.log2(total), float("-inf"))
        if WHOLE:
            found = found * 0.6931471805599453
        tl.store(lse + place, found, mask=written)
        share = tl.where(live & (total > 0.0), value_weight / total, 0.0)
        result = acc * share[:, None]
        tl.store(out_at, result.to(out.dtype.element_ty), mask=written[:, None])
    else:
        tl.store(lse + place, tl.full([BLOCK_M], float("-inf"), tl.float32), mask=written)
        if WHOLE:
            zeros = tl.zeros([BLOCK_M, HEAD], out.dtype.element_ty)
            tl.store(out_at, zeros, mask=written[:, None])


@triton.jit
def _weigh(
    s: tl.tensor, v: tl.tensor, factor: tl.tensor, top: tl.tensor, total: tl.tensor, acc: tl.tensor
) -> tuple[tl.tensor, tl.tensor, tl.tensor]:
    """One block of logits into the running softmax: its largest logit, its sum and its weighted values.

    s: [M, N], times `factor` [M] the logits of base 2; factor is above zero.
    """
    higher = tl.maximum(top, tl.max(s, 1) * factor)
    fade = tl.exp2(top - higher)
    p = tl.exp2(s * factor[:, None] - higher[:, None])
    total = total * fade + tl.sum(p, 1)
    acc = tl.dot(p.to(v.dtype), v, acc * fade[:, None])
    return higher, total, acc

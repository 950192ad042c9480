"""The kernel that packs keys and values into slots: a program takes ROWS pairs of token and KV head."""

from __future__ import annotations

import triton
import triton.language as tl

from gpu_gotchas.fixes.e4m3_codec import encode_e4m3


@triton.jit(do_not_specialize=["rows"])
def pack(
    keys: tl.tensor,
    values: tl.tensor,
    norms: tl.tensor,
    midpoints: tl.tensor,
    cache: tl.tensor,
    slots: tl.tensor,
    rows: tl.tensor,
    key_token_stride: tl.tensor,
    key_head_stride: tl.tensor,
    value_token_stride: tl.tensor,
    value_head_stride: tl.tensor,
    page_stride: tl.tensor,
    token_stride: tl.tensor,
    HEADS: tl.constexpr,
    HEAD: tl.constexpr,
    PAGE: tl.constexpr,
    SLOT: tl.constexpr,
    KEY_BYTES: tl.constexpr,
    KEY_BITS: tl.constexpr,
    VALUE_BITS: tl.constexpr,
    INSTRUCTION: tl.constexpr,
    ROWS: tl.constexpr,
) -> None:
    """See `launch.store`. keys: as they are with 8 bits, else rotated unit vectors beside `norms` [rows].

    A token whose slot is below zero is left out.
    """
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    token = row // HEADS
    head = row % HEADS
    slot = tl.load(slots + token, mask=row < rows, other=-1).to(tl.int64)
    given = slot >= 0
    live = given[:, None]
    slot = tl.maximum(slot, 0)
    at = cache + slot // PAGE * page_stride + slot % PAGE * token_stride + head * SLOT
    column = tl.arange(0, HEAD)

    from_key = keys + token.to(tl.int64) * key_token_stride + head * key_head_stride
    k = tl.load(from_key[:, None] + column[None, :], mask=live, other=0.0).to(tl.float32)
    if KEY_BITS == 8:
        codes = k.to(tl.float8e4nv).to(tl.uint8, bitcast=True) if INSTRUCTION else encode_e4m3(k)
        tl.store(at[:, None] + column[None, :], codes, mask=live)
    else:
        index = tl.zeros([ROWS, HEAD], tl.int32)
        for level in tl.static_range((1 << KEY_BITS) - 1):
            index += (k >= tl.load(midpoints + level)).to(tl.int32)
        _store_bits(at, index, live, ROWS, HEAD, KEY_BITS)
        norm = tl.load(norms + row, mask=row < rows, other=0.0).to(tl.float16)
        tl.store((at + (KEY_BYTES - 2)).to(tl.pointer_type(tl.float16)), norm, mask=given)

    from_value = values + token.to(tl.int64) * value_token_stride + head * value_head_stride
    v = tl.load(from_value[:, None] + column[None, :], mask=live, other=0.0).to(tl.float32)
    least = tl.min(v, 1)
    steps: tl.constexpr = (1 << VALUE_BITS) - 1
    scale = tl.maximum((tl.max(v, 1) - least) / (steps * 1.0), 1e-8)
    step = ((v - least[:, None]) / scale[:, None] + 0.5).to(tl.int32)
    step = tl.minimum(tl.maximum(step, 0), steps)
    at += KEY_BYTES
    _store_bits(at, step, live, ROWS, HEAD, VALUE_BITS)
    number = (at + HEAD * VALUE_BITS // 8).to(tl.pointer_type(tl.float16))
    tl.store(number, scale.to(tl.float16), mask=given)
    tl.store(number + 1, least.to(tl.float16), mask=given)


@triton.jit
def _store_bits(
    at: tl.tensor,
    numbers: tl.tensor,
    live: tl.tensor,
    ROWS: tl.constexpr,
    HEAD: tl.constexpr,
    BITS: tl.constexpr,
) -> None:
    """[ROWS, HEAD] numbers of 4 or 3 bits one after the other, the lowest bits first, from `at` [ROWS] on."""
    if BITS == 4:
        low, high = tl.split(tl.reshape(numbers, [ROWS, HEAD // 2, 2]))
        place = at[:, None] + tl.arange(0, HEAD // 2)[None, :]
        tl.store(place, (low | (high << 4)).to(tl.uint8), mask=live)
    else:
        shift = tl.arange(0, 8) * 3
        words = tl.sum(tl.reshape(numbers, [ROWS, HEAD // 8, 8]) << shift[None, None, :], 2)
        place = at[:, None] + (tl.arange(0, HEAD // 8) * 3)[None, :]
        for byte in tl.static_range(3):
            tl.store(place + byte, (words >> (8 * byte)).to(tl.uint8), mask=live)

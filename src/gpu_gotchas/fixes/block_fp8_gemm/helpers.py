"""Small kernels around the product: widen a whole matrix, lay out groups of tokens, arrange columns."""

from __future__ import annotations

import triton
import triton.language as tl

from gpu_gotchas.fixes.block_fp8_gemm.widening import widen


@triton.jit(do_not_specialize=["features"])
def dequantise(
    weight: tl.tensor,
    scale: tl.tensor,
    out: tl.tensor,
    features: tl.tensor,
    columns: tl.tensor,
    ROWS: tl.constexpr,
    PTX: tl.constexpr,
    EVEN: tl.constexpr,
) -> None:
    """ROWS rows of a block of 128 columns, times their scale; the program is (columns, rows, expert).

    weight: (experts, features, columns) codes. scale: a float32 for each 128 x 128. ROWS divides 128.
    """
    DTYPE: tl.constexpr = out.dtype.element_ty
    POWER: tl.constexpr = 256.0 if DTYPE == tl.float16 else 1.0  # noqa: SIM300
    k_block = tl.program_id(0)
    first = tl.program_id(1) * ROWS
    expert = tl.program_id(2).to(tl.int64)
    row = first + tl.arange(0, ROWS)
    column = k_block * 128 + tl.arange(0, 128)
    at = (expert * features + row[:, None]) * columns + column[None, :]
    inside = (row < features)[:, None]
    if not EVEN:
        inside = inside & (column < columns)[None, :]
    block = (expert * tl.cdiv(features, 128) + first // 128) * tl.cdiv(columns, 128) + k_block
    factor = tl.load(scale + block) * POWER
    codes = tl.load(weight + at, mask=inside, other=0)
    tl.store(out + at, (widen(codes, DTYPE, PTX).to(tl.float32) * factor).to(DTYPE), mask=inside)


@triton.jit
def lay_out(
    ends: tl.tensor, table: tl.tensor, experts: tl.tensor, TOKENS: tl.constexpr, EXPERTS: tl.constexpr
) -> None:
    """From where each expert's tokens end to a table of blocks of at most TOKENS of one expert each.

    table: int32: how many blocks; then for each its expert, its first token, and where the expert's end.
    """
    expert = tl.arange(0, EXPERTS)
    end = tl.load(ends + expert, mask=expert < experts, other=0)
    begin = tl.load(ends + expert - 1, mask=(expert > 0) & (expert < experts), other=0)
    count = tl.where(expert < experts, tl.cdiv(tl.maximum(end - begin, 0), TOKENS), 0)
    start = tl.cumsum(count, 0) - count
    tl.store(table, tl.sum(count, 0))
    for block in range(tl.max(count, 0)):
        entry = table + 1 + 3 * (start + block)
        tl.store(entry, expert, mask=block < count)
        tl.store(entry + 1, begin + block * TOKENS, mask=block < count)
        tl.store(entry + 2, end, mask=block < count)


@triton.jit
def arrange(
    words: tl.tensor, out: tl.tensor, x_stride: tl.tensor, row_words: tl.tensor, BLOCK: tl.constexpr
) -> None:
    """Tokens' columns into the order in which the Hopper kernel's lanes hold codes; two columns are a word.

    The program is (token, block of words). BLOCK is a multiple of 64.
    """
    token = tl.program_id(0).to(tl.int64)
    place = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inner = place & 31
    source = place - inner + (inner & 3) * 8 + (inner >> 3) * 2 + ((inner >> 2) & 1)
    inside = place < row_words
    found = tl.load(words + token * x_stride + source, mask=inside)
    tl.store(out + token * row_words + place, found, mask=inside)

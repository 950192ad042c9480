"""What the Gluon kernels for compute capability 9.0 share: finding rows, widening codes, scaling logits.

Gluon states layouts and shared memory where Triton infers them. Codes travel as 32-bit words, since Triton
keeps each byte of a loop-carried 8-bit tensor in a register of its own. Gluon's interface still changes from
release to release; names that changed are resolved here.
"""

from __future__ import annotations

from typing import Any

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy

from gpu_gotchas.fixes.e4m3_moves import TO_FLOAT16

copy_in: Any = getattr(async_copy, "async_load", None) or async_copy.async_copy_global_to_shared
barrier: Any = getattr(gl, "thread_barrier", None) or gl.barrier
REINTERPRETS = gl.constexpr(hasattr(gl.shared_memory_descriptor, "reinterpret"))


@gluon.jit
def span(contexts, batch, split, splits, BLOCK_N: gl.constexpr):  # type: ignore[no-untyped-def]
    """(begin, end) of this split's tokens, whole blocks but the last; empty when begin >= end."""
    context = gl.load(contexts + batch)
    each = gl.cdiv(gl.cdiv(context, splits), BLOCK_N) * BLOCK_N
    begin = split * each
    return begin, gl.minimum(begin + each, context)


@gluon.jit
def pages_of(table, first, last, PAGE: gl.constexpr, ROWS: gl.constexpr, LAYOUT: gl.constexpr):  # type: ignore[no-untyped-def]
    """Page numbers of tokens first .. first + ROWS - 1; beyond `last` those of `last`, so none is invalid."""
    token = gl.minimum(first + gl.arange(0, ROWS, layout=LAYOUT), last)
    return gl.load(table + token // PAGE)


@gluon.jit
def rows_of(  # type: ignore[no-untyped-def]
    page, first, last, page_stride, token_stride, PAGE: gl.constexpr, ROWS: gl.constexpr, LAYOUT: gl.constexpr
):
    """Offsets of the same tokens in the cache, in 64 bits: a cache is larger than 2**31 elements."""
    token = gl.minimum(first + gl.arange(0, ROWS, layout=LAYOUT), last)
    return page.to(gl.int64) * page_stride + (token % PAGE) * token_stride


@gluon.jit
def words_at(cache, rows):  # type: ignore[no-untyped-def]
    """Pointers to rows of bytes as pointers to words of four codes."""
    return (cache + rows).to(gl.pointer_type(gl.int32), bitcast=True)


@gluon.jit
def widen(words, BITS: gl.constexpr):  # type: ignore[no-untyped-def]
    """Words of four codes to twice as many words of two float16 each, in the same order."""
    if BITS:
        low, high = gl.inline_asm_elementwise(
            TO_FLOAT16, "=r,=r,r", [words], dtype=(gl.int32, gl.int32), is_pure=True, pack=1
        )
    else:
        low, high = gl.inline_asm_elementwise(
            """{
            .reg .b16 a, b;
            mov.b32 {a, b}, $2;
            cvt.rn.f16x2.e4m3x2 $0, a;
            cvt.rn.f16x2.e4m3x2 $1, b;
            }""",
            "=r,=r,r",
            [words],
            dtype=(gl.int32, gl.int32),
            is_pure=True,
            pack=1,
        )
    return gl.join(low, high).reshape([words.shape[0], words.shape[1] * 2])


@gluon.jit
def put(words, shared, FIRST: gl.constexpr, BITS: gl.constexpr):  # type: ignore[no-untyped-def]
    """Widen rows of words into the float16 tile `shared`, from its row FIRST on."""
    wide = widen(words, BITS)
    TILE: gl.constexpr = [shared.shape[0], wide.shape[1]]
    LAYOUT: gl.constexpr = gl.NVMMASharedLayout.get_default_for(TILE, gl.int32)
    if REINTERPRETS:
        tile = shared.reinterpret(gl.int32, TILE, LAYOUT)
    else:
        tile = shared._reinterpret(gl.int32, TILE, LAYOUT)
    if wide.shape[0] == shared.shape[0]:
        tile.store(wide)
    else:
        tile.slice(FIRST, wide.shape[0], dim=0).store(wide)


@gluon.jit
def new_tile(ROWS: gl.constexpr, COLUMNS: gl.constexpr, DTYPE: gl.constexpr):  # type: ignore[no-untyped-def]
    """Shared memory that the matrix unit reads."""
    LAYOUT: gl.constexpr = gl.NVMMASharedLayout.get_default_for([ROWS, COLUMNS], DTYPE)
    return gl.allocate_shared_memory(DTYPE, [ROWS, COLUMNS], LAYOUT)


@gluon.jit
def two_tiles(ROWS: gl.constexpr, COLUMNS: gl.constexpr, DTYPE: gl.constexpr):  # type: ignore[no-untyped-def]
    """As `new_tile`, one to work on while the other is filled."""
    LAYOUT: gl.constexpr = gl.NVMMASharedLayout.get_default_for([ROWS, COLUMNS], DTYPE)
    return gl.allocate_shared_memory(DTYPE, [2, ROWS, COLUMNS], LAYOUT)


@gluon.jit
def filled_tile(numbers):  # type: ignore[no-untyped-def]
    """As `new_tile`, with these numbers in it."""
    LAYOUT: gl.constexpr = gl.NVMMASharedLayout.get_default_for(numbers.shape, numbers.dtype)
    return gl.allocate_shared_memory(numbers.dtype, numbers.shape, LAYOUT, numbers)


@gluon.jit
def load_query(  # type: ignore[no-untyped-def]
    query, batch, first_head, batch_stride, head_stride,
    HEADS: gl.constexpr, LATENT: gl.constexpr, ROPE: gl.constexpr, BLOCK_H: gl.constexpr,
    DTYPE: gl.constexpr, RESCALE: gl.constexpr,
):  # fmt: skip
    """The block's rows as (latent part, rotary part, what their logits must be multiplied by).

    RESCALE: each row is brought to at most 2 by a power of two, so that bfloat16 fits float16.
    """
    LAYOUT: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0])
    head = first_head + gl.arange(0, BLOCK_H, layout=gl.SliceLayout(1, LAYOUT))
    column = gl.arange(0, LATENT, layout=gl.SliceLayout(0, LAYOUT))
    rotary = gl.arange(0, ROPE, layout=gl.SliceLayout(0, LAYOUT))
    row = query + batch.to(gl.int64) * batch_stride + head * head_stride
    inside = (head < HEADS)[:, None]
    latent_part = gl.load(row[:, None] + column[None, :], mask=inside, other=0.0)
    rotary_part = gl.load(row[:, None] + LATENT + rotary[None, :], mask=inside, other=0.0)
    factor = gl.full([BLOCK_H], 1.0, gl.float32, layout=gl.SliceLayout(1, LAYOUT))
    if RESCALE:
        wide = latent_part.to(gl.float32)
        wide_rotary = rotary_part.to(gl.float32)
        top = gl.maximum(gl.max(gl.abs(wide), 1), gl.max(gl.abs(wide_rotary), 1))
        exponent = top.to(gl.int32, bitcast=True) & 0x7F800000
        down = gl.maximum(0x7F000000 - exponent, 0x00800000).to(gl.float32, bitcast=True)
        latent_part = (wide * down[:, None]).to(DTYPE)
        rotary_part = (wide_rotary * down[:, None]).to(DTYPE)
        factor = exponent.to(gl.float32, bitcast=True)
    return latent_part, rotary_part, factor


@gluon.jit
def stage_query(  # type: ignore[no-untyped-def]
    query, kv_scale, scale, fixed_scale, batch, first_head, batch_stride, head_stride,
    HEADS: gl.constexpr, LATENT: gl.constexpr, ROPE: gl.constexpr, BLOCK_H: gl.constexpr,
    DTYPE: gl.constexpr, FP8: gl.constexpr, BITS: gl.constexpr, SCALED: gl.constexpr,
    HEAD_LAYOUT: gl.constexpr,
):  # fmt: skip
    """The block's rows in shared memory, and what their logits and what cached numbers are multiplied by:
    (latent tile, rotary tile, factor of each head, weight)."""
    weight = fixed_scale * (256.0 if BITS else 1.0)
    if SCALED:
        weight = weight * gl.load(kv_scale)
    latent_part, rotary_part, factor = load_query(
        query, batch, first_head, batch_stride, head_stride, HEADS, LATENT, ROPE, BLOCK_H, DTYPE, FP8
    )
    factor = gl.convert_layout(factor, HEAD_LAYOUT) * (scale * weight)
    return filled_tile(latent_part), filled_tile(rotary_part), factor, weight


@gluon.jit
def cap_logits(x, cap, CAPPED: gl.constexpr):  # type: ignore[no-untyped-def]
    """Logits times log2(e), after cap * tanh(x / cap) where they are capped."""
    if CAPPED:
        x = cap * (1.0 - 2.0 / (1.0 + gl.exp(x * (2.0 / cap))))
    return x * 1.4426950408889634

"""All experts of a layer into Marlin's layout by one kernel, each word read once and written once.

The usual recipe repacks expert by expert into a list and concatenates the list: two more passes over memory,
a launch for each expert, and twice the layer's size while it lasts. Here the result is allocated once, and
nothing beside it; `repack_experts_in_place` allocates one expert, and leaves the result where the source was.

FP8 weights are read as they lie, (experts, outputs, inputs): `fp8_words` gives the view, without a copy.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from gpu_gotchas.fixes.marlin_layout import TILE_COLUMNS, TILE_ROWS

_TILES = 8
"""Tiles of 16 inputs to a program: FP8 that lies by output is then read in whole cache lines."""


@triton.jit
def repack_kernel(
    source: tl.tensor,
    out: tl.tensor,
    tiles: tl.tensor,
    parts: tl.tensor,
    expert_stride: tl.tensor,
    row_stride: tl.tensor,
    column_stride: tl.tensor,
    BITS: tl.constexpr,
    TILES: tl.constexpr,
) -> None:
    """TILES tiles of 16 inputs by 64 outputs of one expert; see `marlin_layout` for the order.

    A word of the result belongs to a thread's column c and rows a: it takes the same two bit fields of 4-bit
    words in two rows and two columns, or of 8-bit words in two rows. Strides are in words.
    """
    part = tl.program_id(0) % parts
    first = tl.program_id(0) // parts * TILES
    expert = tl.program_id(1).to(tl.int64)
    WORDS: tl.constexpr = 32 * BITS  # of a tile of one part, in the result
    ROWS: tl.constexpr = BITS // 2  # of a tile, in the source
    word = tl.arange(0, WORDS)
    if BITS == 4:
        block, rest = word * 0, word
    else:
        block, rest = word % 2, word // 2
    j, a, c = rest % 4, rest // 4 % 4, rest // 16
    column = part * 64 + j * 16 + block * 8 + c
    base = source + expert * expert_stride + column.to(tl.int64) * column_stride
    for nth in tl.static_range(TILES):
        tile = first + nth
        row = tile.to(tl.int64) * ROWS
        inside = tile < tiles
        if BITS == 4:
            # Nibbles 2a and 2a + 1 of each word, as bytes; then the even nibbles before the odd ones.
            shift = 8 * a
            w0 = (tl.load(base + row * row_stride, inside) >> shift) & 0xFF
            w1 = (tl.load(base + (row + 1) * row_stride, inside) >> shift) & 0xFF
            w2 = (tl.load(base + 8 * column_stride + row * row_stride, inside) >> shift) & 0xFF
            w3 = (tl.load(base + 8 * column_stride + (row + 1) * row_stride, inside) >> shift) & 0xFF
            low = (w0 & 0xF) | ((w1 & 0xF) << 4) | ((w2 & 0xF) << 8) | ((w3 & 0xF) << 12)
            high = (w0 >> 4) | (w1 >> 4 << 4) | (w2 >> 4 << 8) | (w3 >> 4 << 12)
            value = low | (high << 16)
        else:
            # Bytes 2a and 2a + 1 of rows a // 2 and 2 + a // 2; the two first bytes before the two second.
            shift = 16 * (a % 2)
            pair = base + (row + a // 2) * row_stride
            w0 = (tl.load(pair, inside) >> shift) & 0xFFFF
            w1 = (tl.load(pair + 2 * row_stride, inside) >> shift) & 0xFFFF
            value = (w0 & 0xFF) | ((w1 & 0xFF) << 8) | ((w0 >> 8) << 16) | ((w1 >> 8) << 24)
        place = ((expert * tiles + tile) * parts + part) * WORDS
        tl.store(out + place + word, value, inside)


def fp8_words(weight: Tensor) -> Tensor:
    """FP8 weights (experts, outputs, inputs), or (outputs, inputs), as words (…, inputs / 4, outputs).

    A view: 8-bit words are packed along the inputs, which is how FP8 lies in memory. Raises ValueError where
    the element is no byte, the inputs are not contiguous, or no multiple of 4.
    """
    if weight.element_size() != 1 or weight.dim() not in (2, 3):
        raise ValueError(
            f"FP8 weights are (experts, outputs, inputs), not {weight.dtype} {tuple(weight.shape)}"
        )
    if weight.stride(-1) != 1 or weight.shape[-1] % 4:
        raise ValueError("the inputs of FP8 weights must be contiguous and a multiple of 4")
    return weight.view(torch.uint8).view(torch.int32).transpose(-1, -2)


def repack_experts(
    packed: Tensor, size_k: int, size_n: int, bits: int, *, out: Tensor | None = None
) -> Tensor:
    """Every expert's weight in Marlin's order.

    packed: int32 (experts, size_k * bits / 32, size_n), as GPTQ packs or `fp8_words` views, any strides, on a
    device that Triton serves. size_k, size_n: multiples of 16 and 64. bits: 4 or 8. out: where to write.
    Returns int32 (experts, size_k / 16, size_n * bits / 2); nothing else is allocated. Raises ValueError for
    anything else, and where `out` overlaps `packed`.
    """
    _check(packed, size_k, size_n, bits)
    shape = (packed.shape[0], size_k // TILE_ROWS, size_n * bits // 2)
    if out is None:
        out = torch.empty(shape, dtype=torch.int32, device=packed.device)
    elif (tuple(out.shape), out.dtype, out.device) != (shape, torch.int32, packed.device):
        raise ValueError(
            f"out must be int32 {shape} on {packed.device}, "
            f"not {out.dtype} {tuple(out.shape)} on {out.device}"
        )
    elif not out.is_contiguous() or _overlap(out, packed):
        raise ValueError("out must be contiguous, and no part of the source")
    tiles, parts = shape[1], size_n // TILE_COLUMNS
    if packed.shape[0]:
        grid = (triton.cdiv(tiles, _TILES) * parts, packed.shape[0])
        repack_kernel[grid](packed, out, tiles, parts, *packed.stride(), BITS=bits, TILES=_TILES, num_warps=4)
    return out


def repack_experts_in_place(packed: Tensor, size_k: int, size_n: int, bits: int) -> Tensor:
    """The same, into the memory of `packed`, by way of one expert's copy.

    packed: as above, and each expert's words without gaps, in either order of its axes.
    Returns int32 (experts, size_k / 16, size_n * bits / 2), a view of that memory. Raises ValueError as
    above.
    """
    _check(packed, size_k, size_n, bits)
    rows = size_k * bits // 32
    if sorted(packed.stride()[1:]) not in ([1, size_n], [1, rows]) or packed.stride(0) != rows * size_n:
        raise ValueError(f"the words of an expert must lie together, not with strides {packed.stride()}")
    flat = packed.as_strided((packed.shape[0], rows * size_n), (rows * size_n, 1))
    held = torch.empty_like(flat[:1])
    for expert in range(packed.shape[0]):
        held.copy_(flat[expert : expert + 1])
        source = held.as_strided((1, rows, size_n), packed.stride())
        into = flat[expert : expert + 1].view(1, size_k // TILE_ROWS, size_n * bits // 2)
        repack_experts(source, size_k, size_n, bits, out=into)
    return flat.view(packed.shape[0], size_k // TILE_ROWS, size_n * bits // 2)


def _check(packed: Tensor, size_k: int, size_n: int, bits: int) -> None:
    if bits not in (4, 8):
        raise ValueError(f"bits must be 4 or 8, not {bits}")
    if size_k < TILE_ROWS or size_n < TILE_COLUMNS or size_k % TILE_ROWS or size_n % TILE_COLUMNS:
        raise ValueError(f"k and n must be multiples of 16 and 64, not {size_k} and {size_n}: pad the weight")
    rows = size_k * bits // 32
    if packed.dtype != torch.int32 or packed.dim() != 3 or tuple(packed.shape[1:]) != (rows, size_n):
        raise ValueError(
            f"the packed weights must be int32 (experts, {rows}, {size_n}), "
            f"not {packed.dtype} {tuple(packed.shape)}"
        )


def _overlap(one: Tensor, other: Tensor) -> bool:
    if one.numel() == 0 or one.untyped_storage().data_ptr() != other.untyped_storage().data_ptr():
        return False
    spans = []
    for tensor in (one, other):
        first = tensor.storage_offset()
        last = first + sum(
            (size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
        )
        spans.append((first, last))
    (first, last), (start, end) = spans
    return bool(first <= end and start <= last)

"""GPTQ-packed weights in the order in which Marlin kernels read them, in plain torch.

GPTQ packs 32/bits consecutive input rows of one output column into one int32. Marlin wants tiles of 16 rows
by 64 columns in the order of the fragments of a 16x8x16 tensor core product: thread i of 32 holds, for each
of four 16-column parts j, rows 2a, 2a+1, 2a+8 and 2a+9 (a = i % 4) of columns i // 4 and i // 4 + 8.
Layout as in vLLM 0.33.0, `marlin_utils_test.py:get_weight_perm`, for 16-bit activations.

Nothing here needs a card. It is the reference for repacking kernels, and keeps what it allocates beside its
result to one small scratch, so that the memory which a recipe around it takes can be measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

TILE_ROWS, TILE_COLUMNS = 16, 64
_SCRATCH_WORDS = 16 * 1024
_ORDER = {4: (0, 2, 4, 6, 1, 3, 5, 7), 8: (0, 2, 1, 3)}


@dataclass(frozen=True, slots=True)
class _Value:
    """One value of a thread's words: where it is read, and which bits of which word it becomes."""

    a: int
    block: int
    source_row: int
    source_shift: int
    shift: int


def padded_shape(size_k: int, size_n: int, group_size: int = -1) -> tuple[int, int]:
    """The smallest (k, n) that Marlin takes for a weight of `size_k` inputs and `size_n` outputs.

    k and n are multiples of 128 and 64, or of 64 and 128, and k of the group size where there is one
    (vLLM 0.24.0 to 0.33.0, `marlin_utils.py:marlin_padded_nk`). Raises ValueError for sizes below 1.
    """
    if size_k < 1 or size_n < 1:
        raise ValueError(f"a weight has at least one input and one output, not {size_k} and {size_n}")
    group = group_size if group_size > 0 else 1

    def up(number: int, multiple: int) -> int:
        return -(-number // multiple) * multiple

    shapes = [(up(size_k, math.lcm(k, group)), up(size_n, n)) for k, n in ((128, 64), (64, 128))]
    return min(shapes, key=lambda shape: (shape[0] * shape[1], sum(shape)))


def repack(qweight: Tensor, size_k: int, size_n: int, bits: int) -> Tensor:
    """The weight in Marlin's order.

    qweight: int32, contiguous, (size_k * bits / 32, size_n), as GPTQ packs it. bits: 4 or 8.
    size_k, size_n: multiples of 16 and 64.
    Returns int32 (size_k / 16, size_n * bits / 2), on the same device. Raises ValueError for anything else.
    Allocates that, and at most 64 KiB beside it or the words of one row of tiles, whichever is more.
    """
    if bits not in _ORDER:
        raise ValueError(f"bits must be 4 or 8, not {bits}")
    if size_k % TILE_ROWS or size_n % TILE_COLUMNS or size_k < 1 or size_n < 1:
        raise ValueError(f"k and n must be multiples of 16 and 64, not {size_k} and {size_n}: pad the weight")
    rows = size_k * bits // 32
    if qweight.dtype != torch.int32 or tuple(qweight.shape) != (rows, size_n) or not qweight.is_contiguous():
        raise ValueError(
            f"the packed weight must be a contiguous int32 ({rows}, {size_n}), "
            f"not {qweight.dtype} {tuple(qweight.shape)} with strides {qweight.stride()}"
        )
    tiles, parts = size_k // TILE_ROWS, size_n // TILE_COLUMNS
    out = torch.zeros(tiles, size_n * bits // 2, dtype=torch.int32, device=qweight.device)
    # (tile, source row, part, j, block, column) and (tile, part, column, a, j, word)
    source = qweight.view(tiles, TILE_ROWS * bits // 32, parts, 4, 2, 8)
    words = out.view(tiles, parts, 8, 4, 4, bits // 4)
    step = max(1, _SCRATCH_WORDS // (parts * 32))
    scratch = torch.empty(min(step, tiles), parts, 8, 4, dtype=torch.int32, device=qweight.device)
    for first in range(0, tiles, step):
        some = slice(first, min(first + step, tiles))
        part = scratch[: some.stop - first]
        for value in _values(bits):
            word = value.block if bits == 8 else 0
            read = source[some, value.source_row, :, :, value.block].transpose(2, 3)
            torch.bitwise_right_shift(read, value.source_shift, out=part)
            part.bitwise_and_((1 << bits) - 1)
            part.bitwise_left_shift_(value.shift)
            words[some, :, :, value.a, :, word].bitwise_or_(part)
    return out


def _values(bits: int) -> Iterator[_Value]:
    """The eight values of each of the four kinds of thread."""
    per_word = 32 // bits
    order = _ORDER[bits]
    for a in range(4):
        for block in range(2):
            for nth in range(4):
                row = 2 * a + nth % 2 + 8 * (nth // 2)
                place = order.index((4 * block + nth) % per_word)
                yield _Value(a, block, row // per_word, row % per_word * bits, place * bits)

"""Pairs of 4-bit or 3-bit numbers to float16 inside a kernel."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl


@triton.jit
def load_pairs(at: tl.tensor, half: tl.tensor, BITS: tl.constexpr) -> tl.tensor:
    """Pairs of numbers of BITS bits, as uint8, (slots, pairs). at: where each slot's numbers begin. half:
    which pairs.

    Of 3 bits a pair has 6, which may end in the next byte; one more byte than the numbers take is read.
    """
    if BITS == 4:
        return tl.load(at[:, None] + half[None, :])
    else:
        bit = half * 6
        first = at[:, None] + (bit // 8)[None, :]
        both = tl.load(first).to(tl.int32) | (tl.load(first + 1).to(tl.int32) << 8)
        return ((both >> (bit % 8)[None, :]) & 63).to(tl.uint8)


@triton.jit
def unpack_steps(codes: tl.tensor, PTX: tl.constexpr, BITS: tl.constexpr) -> Any:
    """Pairs as uint8 of any shape to (low, high), float16 of the same shape: 2**-17 times the number.

    Shifted left by 7, four bits are the bits of that float16. With PTX four bytes are moved at a time.
    """
    if PTX and BITS == 4:
        return tl.inline_asm_elementwise(
            """{
            .reg .b32 a, b, c;
            prmt.b32 a, $4, 0, 0x4140;
            prmt.b32 b, $4, 0, 0x4342;
            shl.b32 c, a, 7;
            and.b32 $0, c, 0x07800780;
            shl.b32 c, b, 7;
            and.b32 $1, c, 0x07800780;
            shl.b32 c, a, 3;
            and.b32 $2, c, 0x07800780;
            shl.b32 c, b, 3;
            and.b32 $3, c, 0x07800780;
            }""",
            "=r,=r,=r,=r,r",
            [codes],
            dtype=(tl.float16, tl.float16),
            is_pure=True,
            pack=4,
        )
    else:
        steps = codes.to(tl.int16)
        low = ((steps & ((1 << BITS) - 1)) << 7).to(tl.float16, bitcast=True)
        high = ((steps >> BITS) << 7).to(tl.float16, bitcast=True)
        return low, high


@triton.jit
def unpack_pair(pair: tl.tensor) -> tuple[tl.tensor, tl.tensor]:
    """int32 of any shape to the two float16 that it holds, low bits first."""
    low = (pair & 0xFFFF).to(tl.int16).to(tl.float16, bitcast=True)
    high = (pair >> 16).to(tl.int16).to(tl.float16, bitcast=True)
    return low, high

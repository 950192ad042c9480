"""Two 4-bit numbers of a byte to float16 inside a kernel."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl


@triton.jit
def unpack_steps(codes: tl.tensor, PTX: tl.constexpr) -> Any:
    """uint8 of any shape to (low halves, high halves), float16 of the same shape: 2**-17 times the number.

    Shifted left by 7, four bits are the bits of that float16. With PTX four bytes are moved at a time.
    """
    if PTX:
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
        low = ((steps & 15) << 7).to(tl.float16, bitcast=True)
        high = ((steps >> 4) << 7).to(tl.float16, bitcast=True)
        return low, high


@triton.jit
def unpack_pair(pair: tl.tensor) -> tuple[tl.tensor, tl.tensor]:
    """int32 of any shape to the two float16 that it holds, low bits first."""
    low = (pair & 0xFFFF).to(tl.int16).to(tl.float16, bitcast=True)
    high = (pair >> 16).to(tl.int16).to(tl.float16, bitcast=True)
    return low, high

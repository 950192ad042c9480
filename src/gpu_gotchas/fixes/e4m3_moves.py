"""E4M3 codes to float16 of the value over 256 by moving bits, for kernels that fold the 256 into a scale.

Both NaN codes (0x7F, 0xFF) become 480 with a sign, before the division: there is no room for a test in three
operations for two codes, and what saturates holds none. Every other code becomes its value exactly, subnormal
ones too.
"""

from __future__ import annotations

import triton
import triton.language as tl

TO_FLOAT16 = tl.constexpr(
    """{
    .reg .b32 a, b;
    prmt.b32 a, $2, $2, 0x9180;
    prmt.b32 b, $2, $2, 0xB3A2;
    shl.b32 a, a, 7;
    shl.b32 b, b, 7;
    and.b32 $0, a, 0xBF80BF80;
    and.b32 $1, b, 0xBF80BF80;
    }"""
)
"""Four codes to four float16: sign-extend bytes to halves, move exponent and mantissa into place, clear the
spare sign bit."""


@triton.jit
def to_float16(codes: tl.tensor, PTX: tl.constexpr) -> tl.tensor:
    """uint8 codes of any shape to float16.

    PTX: in NVIDIA's assembly, four codes at a time; else in plain Triton, for AMD and the interpreter.
    """
    if PTX:
        return tl.inline_asm_elementwise(
            TO_FLOAT16, "=r,=r,r", [codes], dtype=tl.float16, is_pure=True, pack=4
        )
    else:
        extended = codes.to(tl.int8, bitcast=True).to(tl.int16)
        return ((extended << 7) & -16512).to(tl.float16, bitcast=True)

"""E4M3 codes to float16 or bfloat16 by moving bits, in kernels that Triton lays out.

Both NaN codes (0x7F, 0xFF) become 480 with a sign: there is no room for a test in three operations for two
codes, and a checkpoint holds none. Every other code becomes its value exactly, subnormal ones too.
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
"""Four codes to four float16 of the value over 256: sign-extend bytes to halves, move exponent and mantissa
into place, clear the spare sign bit."""

TO_BFLOAT16 = tl.constexpr(
    """{
    .reg .b32 a, b, power, zero;
    mov.b32 power, 0x7B807B80;
    mov.b32 zero, 0x80008000;
    prmt.b32 a, $2, $2, 0x9180;
    prmt.b32 b, $2, $2, 0xB3A2;
    shl.b32 a, a, 4;
    shl.b32 b, b, 4;
    and.b32 a, a, 0x87F087F0;
    and.b32 b, b, 0x87F087F0;
    fma.rn.bf16x2 $0, a, power, zero;
    fma.rn.bf16x2 $1, b, power, zero;
    }"""
)
"""Four codes to four bfloat16 of the value. The bits alone are the value over 2**120, too small to sum in
float32; one multiplication brings it back."""


@triton.jit
def widen(codes: tl.tensor, DTYPE: tl.constexpr, PTX: tl.constexpr) -> tl.tensor:
    """uint8 codes of any shape to float16 of the value over 256, or to bfloat16 of the value.

    PTX: in NVIDIA's assembly, four codes at a time; else in plain Triton, for AMD and the interpreter.
    """
    if PTX:
        if DTYPE == tl.float16:  # noqa: SIM300
            return tl.inline_asm_elementwise(
                TO_FLOAT16, "=r,=r,r", [codes], dtype=tl.float16, is_pure=True, pack=4
            )
        else:
            return tl.inline_asm_elementwise(
                TO_BFLOAT16, "=r,=r,r", [codes], dtype=tl.bfloat16, is_pure=True, pack=4
            )
    else:
        extended = codes.to(tl.int8, bitcast=True).to(tl.int16)
        half = ((extended << 7) & -16512).to(tl.float16, bitcast=True)
        if DTYPE == tl.float16:  # noqa: SIM300
            return half
        else:
            return (half.to(tl.float32) * 256.0).to(tl.bfloat16)

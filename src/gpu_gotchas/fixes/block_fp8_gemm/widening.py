"""E4M3 codes to float16 or bfloat16 by moving bits, in kernels that Triton lays out.

What becomes of NaN codes is said in `e4m3_moves`; a checkpoint holds none.
"""

from __future__ import annotations

import triton
import triton.language as tl

from gpu_gotchas.fixes.e4m3_moves import to_float16

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
    if DTYPE == tl.float16:  # noqa: SIM300
        return to_float16(codes, PTX)
    elif PTX:
        return tl.inline_asm_elementwise(
            TO_BFLOAT16, "=r,=r,r", [codes], dtype=tl.bfloat16, is_pure=True, pack=4
        )
    else:
        return (to_float16(codes, PTX).to(tl.float32) * 256.0).to(tl.bfloat16)

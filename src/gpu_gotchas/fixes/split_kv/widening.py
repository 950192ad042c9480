"""E4M3 codes to float16 in the portable kernel; the values are over 256 unless the card converts."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def widen(codes: tl.tensor, WIDENING: tl.constexpr) -> tl.tensor:
    """uint8 codes of any shape, or other floats left as they are, to float16."""
    if WIDENING == "instruction":
        return codes.to(tl.float8e4nv, bitcast=True).to(tl.float16)
    elif WIDENING == "bits":
        # Sign-extend bytes to halves, move exponent and mantissa into place, clear the spare sign bit.
        return tl.inline_asm_elementwise(
            """{
            .reg .b32 a, b;
            prmt.b32 a, $2, $2, 0x9180;
            prmt.b32 b, $2, $2, 0xB3A2;
            shl.b32 a, a, 7;
            shl.b32 b, b, 7;
            and.b32 $0, a, 0xBF80BF80;
            and.b32 $1, b, 0xBF80BF80;
            }""",
            "=r,=r,r",
            [codes],
            dtype=tl.float16,
            is_pure=True,
            pack=4,
        )
    elif WIDENING == "arithmetic":
        extended = codes.to(tl.int8, bitcast=True).to(tl.int16)
        return ((extended << 7) & -16512).to(tl.float16, bitcast=True)
    else:
        return codes

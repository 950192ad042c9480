"""E4M3 codes to float16 in the portable kernel; the values are over 256 unless the card converts."""

from __future__ import annotations

import triton
import triton.language as tl

from gpu_gotchas.fixes.e4m3_moves import to_float16


@triton.jit
def widen(codes: tl.tensor, WIDENING: tl.constexpr) -> tl.tensor:
    """uint8 codes of any shape, or other floats left as they are, to float16."""
    if WIDENING == "none":
        return codes
    elif WIDENING == "instruction":
        return codes.to(tl.float8e4nv, bitcast=True).to(tl.float16)
    else:
        return to_float16(codes, WIDENING == "bits")

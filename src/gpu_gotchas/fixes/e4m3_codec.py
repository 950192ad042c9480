"""E4M3 (`float8_e4m3fn`) in and out of float32 by integer arithmetic, for cards whose Triton has no FP8 type.

One sign bit, four exponent bits with bias 7, three mantissa bits, no infinity: the largest value is 448
and the one NaN is 0x7F (0xFF with a sign). A byte is kept as `uint8`, so no kernel ever names an FP8 type.
The layout is that of the OCP 8-bit floating point specification, "E4M3".

Both functions are Triton helpers: call them inside a kernel, on blocks of any shape. `e4m3_torch` says the
same in torch, from the definition of the format and not by bits.
"""

from __future__ import annotations

import triton
import triton.language as tl

MAX_BITS = tl.constexpr(0x43E00000)  # 448.0
NORMAL_BITS = tl.constexpr(0x3C800000)  # 2**-6, the smallest normal
NAN_BITS = tl.constexpr(0x7FC00000)
INFINITY_BITS = tl.constexpr(0x7F800000)


@triton.jit
def decode_e4m3(code: tl.tensor) -> tl.tensor:
    """uint8 codes to float32, exactly; 0x7F and 0xFF give NaN. Same shape.

    Every E4M3 value is a float16 and a bfloat16 too, so a further `.to(tl.float16)` loses nothing.
    """
    byte = code.to(tl.int32)
    sign = (byte & 0x80) << 24
    magnitude = byte & 0x7F
    normal = (magnitude << 20) + (120 << 23)
    # A denormal float32 would be flushed to zero on some paths; small whole numbers never are.
    small = (magnitude.to(tl.float32) * 0.001953125).to(tl.int32, bitcast=True)
    bits = tl.where(magnitude < 8, small, normal)
    bits = tl.where(magnitude == 0x7F, NAN_BITS, bits)
    return (bits | sign).to(tl.float32, bitcast=True)


@triton.jit
def encode_e4m3(value: tl.tensor) -> tl.tensor:
    """float32 to uint8 codes, to the nearest, ties to even. Same shape; cast other floats to float32 first.

    What is too large saturates at 448, infinity too; NaN becomes 0x7F without its sign. That is what the
    conversion instruction of newer cards does (`cvt.rn.satfinite`). torch's own cast keeps a NaN's sign;
    2.13 saturates as well, which other releases need not do above 464.
    """
    bits = value.to(tl.int32, bitcast=True)
    sign = (bits >> 24) & 0x80
    magnitude = bits & 0x7FFFFFFF
    clamped = tl.minimum(magnitude, MAX_BITS)

    normal = ((clamped + 0x7FFFF + ((clamped >> 20) & 1)) >> 20) - (120 << 3)

    # Below 2**-6 codes count steps of 2**-9: shift the 24-bit significand right, rounding to even. Shifts
    # beyond 25 give nothing but zero and are undefined beyond 31.
    shift = tl.minimum(141 - (clamped >> 23), 25)
    shift = tl.maximum(shift, 1)
    significand = (clamped & 0x7FFFFF) | 0x800000
    half = (1 << (shift - 1)) - 1
    small = (significand + half + ((significand >> shift) & 1)) >> shift

    code = tl.where(clamped < NORMAL_BITS, small, normal) | sign
    code = tl.where(magnitude > INFINITY_BITS, 0x7F, code)
    return code.to(tl.uint8)

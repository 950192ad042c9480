"""E4M3 (`float8_e4m3fn`) in plain torch, from the definition of the format: the twin of `e4m3_codec`.

It works on any device and shares no arithmetic with the kernels, so that each can be held against the other.
"""

from __future__ import annotations

import torch

LARGEST = 448.0


def value_of(code: int) -> float:
    """The value of one code, 0 to 255: (-1)**s * 2**(e-7) * (1 + m/8), subnormal where e is 0."""
    sign = -1.0 if code & 0x80 else 1.0
    exponent, mantissa = (code >> 3) & 0xF, code & 7
    if exponent == 15 and mantissa == 7:
        return float("nan")
    if exponent == 0:
        return sign * mantissa * 2.0**-9
    return sign * (1 + mantissa / 8) * 2.0 ** (exponent - 7)


def decode(codes: torch.Tensor) -> torch.Tensor:
    """uint8 codes of any shape to float32, exactly. Raises ValueError for another dtype."""
    if codes.dtype != torch.uint8:
        raise ValueError(f"codes must be uint8, not {codes.dtype}: view a float8_e4m3fn tensor as uint8")
    table = torch.tensor([value_of(code) for code in range(256)], device=codes.device)
    return table[codes.long()]


def encode(values: torch.Tensor) -> torch.Tensor:
    """Floats of any shape to uint8 codes: the nearest value, ties to the even code.

    Saturates at 448, infinity too; NaN becomes 0x7F. float64 is rounded once, without going through float32.
    Raises ValueError for whole numbers.
    """
    if not values.is_floating_point():
        raise ValueError(f"values must be floats, not {values.dtype}")
    wide = values.double()
    magnitude = wide.abs().nan_to_num(nan=0.0, posinf=LARGEST).clamp(max=LARGEST).contiguous()
    ladder = torch.tensor([value_of(code) for code in range(127)], dtype=torch.float64, device=values.device)
    midpoints = (ladder[1:] + ladder[:-1]) / 2
    above = torch.bucketize(magnitude, midpoints, right=True)
    below = torch.bucketize(magnitude, midpoints, right=False)
    code = torch.where(above == below, above, torch.where(above % 2 == 0, above, below))
    code = code | (torch.signbit(wide).to(torch.int64) << 7)
    return torch.where(torch.isnan(wide), 0x7F, code).to(torch.uint8)

"""FP8 E4M3 below compute capability 8.9: Triton has no such type there, whatever the kernel does with it.

Both probes round float32 values to E4M3 and read them back. `bug` names Triton's type `fp8e4nv`, as kernels
do that take `torch.float8_e4m3fn`; `fixed` keeps bytes and converts them by integer arithmetic.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes import e4m3_torch
from gpu_gotchas.fixes.e4m3_codec import decode_e4m3, encode_e4m3
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

BLOCK = 256


@triton.jit
def round_trip_native(x_ptr, codes_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    codes = tl.load(x_ptr + offsets).to(tl.float8e4nv)
    tl.store(codes_ptr + offsets, codes.to(tl.uint8, bitcast=True))
    tl.store(y_ptr + offsets, codes.to(tl.float32))


@triton.jit
def round_trip_codec(x_ptr, codes_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    codes = encode_e4m3(tl.load(x_ptr + offsets))
    tl.store(codes_ptr + offsets, codes)
    tl.store(y_ptr + offsets, decode_e4m3(codes))


def bug(target: ProbeTarget) -> list[torch.Tensor] | None:
    return _run(round_trip_native, target)


def fixed(target: ProbeTarget) -> list[torch.Tensor] | None:
    return _run(round_trip_codec, target)


def _run(kernel: triton.JITFunction, target: ProbeTarget) -> list[torch.Tensor] | None:
    x = values().to(target.device)
    codes = torch.empty_like(x, dtype=torch.uint8)
    y = torch.empty_like(x)
    kernel[(x.numel() // BLOCK,)](x, codes, y, BLOCK=BLOCK)
    if not target.runs:
        return None
    wrong = int((codes != e4m3_torch.encode(x)).sum() + (y != e4m3_torch.decode(codes)).sum())
    if wrong:
        raise ArithmeticError(f"{wrong} of {2 * x.numel()} values differ from the format's definition")
    return [codes, y]


def values() -> torch.Tensor:
    """Every finite float16, as float32: subnormals, ties and values beyond 448 are among them."""
    every = torch.arange(65536, dtype=torch.int32).to(torch.int16).view(torch.float16).float()
    return torch.where(every.isfinite(), every, torch.zeros(()))

"""Casts, dots and arithmetic in the interpreter as made right, against torch; prints what differs as JSON."""

from __future__ import annotations

import json
import sys

import numpy as np
import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes import triton_interpreter

assert triton_interpreter.needed()
triton_interpreter.apply()
assert triton_interpreter.verify()
if "--genuine" in sys.argv:
    triton_interpreter.revert()
    assert triton_interpreter.needed()


@triton.jit
def cast(source, target, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(target + at, tl.load(source + at).to(target.dtype.element_ty))


@triton.jit
def add(a, b, c, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(c + at, tl.load(a + at) * tl.load(b + at) + tl.load(a + at))


@triton.jit
def multiply(a, b, c, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))


def awkward() -> torch.Tensor:
    """float32 around every bfloat16 step and tie, at random over the range, and what is special."""
    chance = torch.Generator().manual_seed(5)
    bits = torch.randint(0, 1 << 16, (3000,), generator=chance) << 16
    near = torch.tensor([0x7FFF, 0x8000, 0x8001, 0, 1, 0xFFFF])[
        torch.randint(0, 6, (3000,), generator=chance)
    ]
    random = (bits | near).to(torch.int64).to(torch.int32).view(torch.float32)
    small = torch.randn(1064, generator=chance) * torch.logspace(-12, 3, 1064)
    special = torch.tensor(
        [0.0, -0.0, float("inf"), float("-inf"), 448.0, 464.0, 465.0, 2**-9, 2**-10, 2**-10 * 1.001]
    )
    return torch.cat([random, small, special.repeat(4)])[:4096].nan_to_num(nan=1.0)


def differing(got: torch.Tensor, wanted: torch.Tensor) -> int:
    return int(((got != wanted) & ~(got.isnan() & wanted.isnan())).sum())


def casts() -> dict[str, int]:
    from gpu_gotchas.fixes import e4m3_torch

    found, wide = {}, awkward()
    for name, dtype in (("bf16", torch.bfloat16), ("fp16", torch.float16)):
        target = torch.zeros(4096, dtype=dtype)
        cast[(1,)](wide, target, SIZE=4096)
        found[f"to {name}"] = differing(target.float(), wide.to(dtype).float())
        back = torch.zeros(4096)
        cast[(1,)](target, back, SIZE=4096)
        found[f"from {name}"] = differing(back, target.float())
    codes = torch.zeros(4096, dtype=torch.uint8)
    cast[(1,)](wide, codes.view(torch.float8_e4m3fn), SIZE=4096)
    found["to fp8e4nv"] = differing(e4m3_torch.decode(codes), e4m3_torch.decode(e4m3_torch.encode(wide)))
    every = torch.arange(256, dtype=torch.uint8)
    half = torch.zeros(256, dtype=torch.float16)
    cast[(1,)](every.view(torch.float8_e4m3fn), half, SIZE=256)
    found["from fp8e4nv"] = differing(half.float(), e4m3_torch.decode(every))
    return found


def sums() -> dict[str, int]:
    chance = torch.Generator().manual_seed(6)
    a, b = (torch.randn(256, generator=chance).bfloat16() for _ in range(2))
    c = torch.zeros(256, dtype=torch.bfloat16)
    add[(1,)](a, b, c, SIZE=256)
    product = torch.zeros(16, 16)
    multiply[(1,)](a, b, product, N=16)
    wanted = a.view(16, 16).float() @ b.view(16, 16).float()
    return {
        "bf16 arithmetic": differing(c.float(), (a * b + a).float()),
        "bf16 dot": int(((product - wanted).abs() > 1e-4).sum()),
    }


np.seterr(all="ignore")
print(json.dumps(casts() | sums()))

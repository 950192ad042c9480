"""Cast keys to fp8e4b15, straight or staged, as `WAY:DTYPE` says; print what stopped each as JSON."""

from __future__ import annotations

import json
import sys

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.staged_cast import stage, to_e4b15


@triton.jit
def straight(x_ptr, out_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    codes = tl.load(x_ptr + offsets).to(tl.float8e4b15)
    tl.store(out_ptr + offsets, codes.to(tl.uint8, bitcast=True))


@triton.jit
def staged(x_ptr, out_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    codes = to_e4b15(tl.load(x_ptr + offsets))
    tl.store(out_ptr + offsets, codes.to(tl.uint8, bitcast=True))


def stopped_by(way: str, dtype_name: str) -> str | None:
    values = torch.zeros(64, dtype=getattr(torch, dtype_name))
    if way == "staged-tensor":
        values = stage(values)
    kernel = staged if way == "staged" else straight
    try:
        kernel[(1,)](values, torch.empty(64, dtype=torch.uint8), N=64)
    except triton.CompilationError as error:
        return type(error.__cause__).__name__
    return None


if __name__ == "__main__":
    print(json.dumps({said: stopped_by(*said.split(":")) for said in sys.argv[1:]}))

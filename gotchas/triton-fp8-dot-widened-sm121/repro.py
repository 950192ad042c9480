"""Triton widens FP8 products to float16 on GB10, whose tensor cores multiply FP8 as an RTX 50's do.

A kernel of our own multiplies two FP8 tiles with `tl.dot`. The PTX that Triton makes for the target says in
which type its tensor cores multiply. Tiles have 64 rows or more: smaller ones are widened on Hopper and on
data-centre Blackwell too, whose FP8 instructions take no fewer.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.launch_audit.intermediate import upcast_fp8_dots
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

COLUMNS, INNER = 64, 64
ROWS = (64, 128, 256)


@triton.jit
def product(left, right, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr, INNER: tl.constexpr):
    row, column, inner = tl.arange(0, ROWS), tl.arange(0, COLUMNS), tl.arange(0, INNER)
    a = tl.load(left + row[:, None] * INNER + inner[None, :])
    b = tl.load(right + column[None, :] * INNER + inner[:, None])
    tl.store(out + row[:, None] * COLUMNS + column[None, :], tl.dot(a, b))


def bug(target: ProbeTarget, seed: int) -> int:
    """1 where the product is widened, 0 where it is computed in FP8."""
    torch.manual_seed(seed)
    rows = ROWS[seed % len(ROWS)]
    left, right = (torch.randn(size, INNER).to(torch.float8_e4m3fn) for size in (rows, COLUMNS))
    out = torch.empty(rows, COLUMNS, device=target.device)
    compiled = product[(1,)](left.to(target.device), right.to(target.device), out, rows, COLUMNS, INNER)
    if target.runs:
        torch.testing.assert_close(out.cpu(), left.float() @ right.float().T, rtol=1e-2, atol=1e-1)
    return int(upcast_fp8_dots(compiled.asm["ttir"], compiled.asm["ptx"]))

"""Launch a kernel whose shared memory grows with its block through LaunchFit; print what happened as JSON."""

from __future__ import annotations

import json
import sys

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.launch_fit import LaunchFit, current_target_name, shared_memory_limit
from gpu_gotchas.fixes.refused import Refused


@triton.jit
def multiply(a_ptr, b_ptr, out_ptr, SIDE: tl.constexpr, DEPTH: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, SIDE)
    acc = tl.zeros([SIDE, SIDE], tl.float32)
    for start in tl.range(0, DEPTH, BLOCK):
        column = start + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + rows[:, None] * DEPTH + column[None, :])
        b = tl.load(b_ptr + column[:, None] * SIDE + rows[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(out_ptr + rows[:, None] * SIDE + rows[None, :], acc)


def main(candidates: list[dict[str, int]], dtypes: list[str]) -> None:
    from triton.runtime.driver import driver

    fitted = LaunchFit(multiply, candidates)
    told = []
    for dtype in dtypes:
        a = torch.zeros(32, 512, dtype=getattr(torch, dtype))
        b = torch.zeros(512, 32, dtype=getattr(torch, dtype))
        arguments = (a, b, torch.zeros(32, 32))
        launch = {"SIDE": 32, "DEPTH": 512, "BLOCK": 256, "num_stages": 3}
        before = len(driver.active.launches)
        try:
            fitted[lambda meta: (meta["BLOCK"],)](*arguments, **launch)
            fit = fitted.fit(*arguments, **launch)
        except Refused as refused:
            told.append({"refused": str(refused), "capability": refused.capability})
            continue
        (launched,) = driver.active.launches[before:]
        told.append(
            {
                "config": fit.config,
                "shared": fit.shared,
                "passed_over": [attempt.shared for attempt in fit.passed_over],
                "launched": launched.shared,
                "grid": launched.grid,
            }
        )
    print(json.dumps({"limit": shared_memory_limit(), "target": current_target_name(), "told": told}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2:])

"""The smallest launch there is: whether the installed Triton generates code for a target at all."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from gpu_gotchas.repro.probe import ProbeTarget


@triton.jit
def _store_one(out):  # type: ignore[no-untyped-def]
    tl.store(out, 1)


def bug(target: ProbeTarget) -> None:
    """Launch a kernel that stores one number; what this raises holds for every kernel on the target."""
    _store_one[(1,)](torch.empty(1, dtype=torch.int32, device=target.device))

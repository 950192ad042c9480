"""A captured graph writes to scratch that a longer request made the workspace give back.

A graph is captured that puts intermediate numbers into a workspace. Then a longer request comes, for which
the workspace lets its memory go and takes more, and another tensor of the old size is made: torch's allocator
gives it the memory that was let go. What is measured is how many of that tensor's numbers a replay changes.
The condition of the control: the later request is no longer than the captured one, so nothing is let go.
"""

from __future__ import annotations

from typing import Any

import torch

from gpu_gotchas.fixes.fixed_scratch import FixedScratch
from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

CAPTURED, LONGER = 8 << 20, 32 << 20


class Growing:
    """A workspace that is made anew when a call needs more, as vLLM's is until it is locked."""

    def __init__(self, device: str) -> None:
        self._memory = torch.empty(0, device=device)

    def take(self, *shape: int) -> torch.Tensor:
        wanted = torch.Size(shape).numel()
        if wanted > self._memory.numel():
            device = self._memory.device
            self._memory = torch.empty(0, device=device)
            self._memory = torch.empty(wanted, device=device)
        return self._memory[:wanted].view(shape)


def bug_device(target: ProbeTarget, seed: int) -> float:
    return _overwritten(Growing(target.device), target, seed, LONGER)


def fixed_device(target: ProbeTarget, seed: int) -> float:
    scratch = FixedScratch(LONGER, device=target.device)
    found = _overwritten(scratch, target, seed, LONGER)
    try:
        scratch.take(LONGER + 1)
    except Refused:
        return found
    raise AssertionError("the scratch grew")


def control_device(target: ProbeTarget, seed: int) -> float:
    return _overwritten(Growing(target.device), target, seed, CAPTURED)


def _overwritten(scratch: Any, target: ProbeTarget, seed: int, later: int) -> float:
    generator = torch.Generator(target.device).manual_seed(seed)
    numbers = torch.randn(CAPTURED, generator=generator, device=target.device)
    out = torch.empty_like(numbers)

    def step() -> None:
        between = scratch.take(CAPTURED)
        torch.mul(numbers, 2.0, out=between)
        torch.add(between, 1.0, out=out)

    step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(out, numbers * 2 + 1)

    scratch.take(later).zero_()  # the longer request
    others = torch.full((CAPTURED,), float(seed + 7), device=target.device)
    graph.replay()
    torch.cuda.synchronize()
    return float((others != seed + 7).sum())

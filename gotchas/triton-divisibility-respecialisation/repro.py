"""A kernel that Triton compiles again for sizes that are 1, a multiple of 16, or neither.

One kernel is launched with sizes of a serving process: 1,920 tokens at warm-up, then 1,921 and 1. What is
measured is how many times it was compiled. The condition of the control: every size is a multiple of 16.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.one_compilation import unspecialised
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

BLOCK = 256


@triton.jit
def number_slots(positions_ptr, slots_ptr, tokens, BLOCK: tl.constexpr):
    token = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = token < tokens
    position = tl.load(positions_ptr + token, mask=inside, other=0)
    tl.store(slots_ptr + token, position * 16, mask=inside)


def bug(target: ProbeTarget, seed: int) -> float:
    return _compilations(number_slots, target, sizes(seed))


def fixed(target: ProbeTarget, seed: int) -> float:
    return _compilations(unspecialised(number_slots, ["tokens"]), target, sizes(seed))


def control(target: ProbeTarget, seed: int) -> float:
    return _compilations(number_slots, target, [16 * (seed + 1), 1920, 1936])


def sizes(seed: int) -> list[int]:
    """Tokens of warm-up, and of requests after it."""
    return [1920, 1921 + 2 * seed, 1]


def _compilations(kernel: Any, target: ProbeTarget, tokens: list[int]) -> float:
    """How many kernels there are once the kernel, fresh from its source, was launched with these sizes."""
    kernel = triton.jit(kernel.fn, do_not_specialize=[kernel.arg_names[n] for n in without(kernel)])
    positions = torch.arange(4096, dtype=torch.int32, device=target.device)
    compiled = set()
    for count in tokens:
        slots = torch.zeros(4096, dtype=torch.int32, device=target.device)
        made = kernel[(triton.cdiv(count, BLOCK),)](positions, slots, count, BLOCK=BLOCK)
        compiled.add(made.hash)
        if target.runs:
            assert torch.equal(slots[:count], positions[:count] * 16)
            assert not slots[count:].any()
    return float(len(compiled))


def without(kernel: Any) -> list[int]:
    """Places of the arguments that this kernel is not specialised for."""
    return [param.num for param in kernel.params if param.do_not_specialize]

"""In Triton's interpreter a bfloat16 sum adds bit patterns; nothing is printed.

The kernel is interpreted by the genuine Triton that is installed. Half of the numbers are negative and none
is zero, so that a sum of bits is another number for each of them.
"""

from __future__ import annotations

import torch

try:
    import triton.language as tl
    from triton.runtime.interpreter import InterpretedFunction

    from gpu_gotchas.fixes import triton_interpreter
except ModuleNotFoundError:  # a probe then says so itself
    tl = InterpretedFunction = triton_interpreter = None


NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

SIZE = 256


def add(a, b, c):
    at = tl.arange(0, 256)
    tl.store(c + at, tl.load(a + at) + tl.load(b + at))


def wrong(dtype, seed):
    """How many of 256 sums differ from torch's, which rounds as a card does."""
    # What `triton.jit` makes of a function where TRITON_INTERPRET=1 is set, which a repro's process is not.
    kernel = InterpretedFunction(add)
    chance = torch.Generator().manual_seed(seed)
    a, b = ((torch.rand(SIZE, generator=chance) + 0.5).to(dtype) for _ in range(2))
    a[::2] *= -3
    c = torch.zeros(SIZE, dtype=dtype)
    kernel[(1,)](a, b, c)
    return float((c != a + b).sum())


def bug_logic(target, seed):
    triton_interpreter.revert()
    return wrong(torch.bfloat16, seed)


def control_logic(target, seed):
    """The same sum in float16, which numpy has."""
    triton_interpreter.revert()
    return wrong(torch.float16, seed)


def fixed_logic(target, seed):
    triton_interpreter.apply()
    return wrong(torch.bfloat16, seed)

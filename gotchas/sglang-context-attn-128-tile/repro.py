"""SGLang's prefill attention takes tiles of 128 from Hopper on, too large for RTX 50 cards in float32.

SGLang's own launcher, `context_attention_fwd`, chooses its tile and launches its own kernel for the target.
In 16 bits the same tiles fit, which the first launch of `bug` holds it to. Only these functions are taken
from its file. Stand-ins: what the file finds out about the card while it is imported.
"""

from __future__ import annotations

from typing import Any

import torch

from gpu_gotchas.fixes.launch_fit import LaunchFit
from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.upstream.sglang_kernels import take_launcher

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 2}

KERNEL = "_fwd_kernel"
CANDIDATES = [{}, {"BLOCK_M": 64, "BLOCK_N": 64}]
# Eight heads of 80, as vision towers have them; the kernel pads them to 128.
TOKENS, HEADS, SIZE = 256, 8, 80


def _launcher(target: ProbeTarget) -> Any:
    return take_launcher(
        target.package, "prefill_attention.py", "context_attention_fwd", KERNEL, capability=target.capability
    )


def _attend(launcher: Any, dtype: torch.dtype) -> None:
    q, k, v, out = (torch.zeros(TOKENS, HEADS, SIZE, dtype=dtype) for _ in range(4))
    starts, lengths = torch.zeros(1, dtype=torch.int32), torch.tensor([TOKENS], dtype=torch.int32)
    launcher(q, k, v, out, starts, lengths, TOKENS, is_causal=False)


def bug_package(target: ProbeTarget) -> None:
    launcher = _launcher(target)
    _attend(launcher, torch.bfloat16)
    _attend(launcher, torch.float32)


def fixed_package(target: ProbeTarget) -> None:
    launcher = _launcher(target)
    launcher.__globals__[KERNEL] = LaunchFit(launcher.__globals__[KERNEL], CANDIDATES)
    _attend(launcher, torch.float32)

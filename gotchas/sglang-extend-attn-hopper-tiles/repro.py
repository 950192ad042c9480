"""SGLang's extend attention takes Hopper's tiles on every newer card, and RTX 50 cards have no room for them.

SGLang's own launcher, `extend_attention_fwd`, chooses its tiles and launches its own kernel for the target,
with the latent heads of DeepSeek and Kimi: 576 for queries and keys, 512 for values. Only these functions are
taken from its file. Stand-ins: what the file finds out about the card while it is imported.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch

from gpu_gotchas.fixes.launch_fit import LaunchFit
from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.upstream.sglang_kernels import take_launcher

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 2}

KERNEL = "_fwd_kernel"
CHOOSES = "_get_block_sizes_for_extend_attention"  # a function of its own since 0.5.4
CANDIDATES = [{}, {"BLOCK_N": 32}]
QK, V, HEADS, TOKENS = 576, 512, 16, 256


def _launcher(target: ProbeTarget) -> Any:
    return take_launcher(
        target.package, "extend_attention.py", "extend_attention_fwd", KERNEL,
        capability=target.capability, if_there=[CHOOSES, "tanh"],
    )  # fmt: skip


def _attend(launcher: Any) -> None:
    q, out = (torch.zeros(TOKENS, HEADS, size, dtype=torch.bfloat16) for size in (QK, V))
    k, v = (torch.zeros(TOKENS, 1, size, dtype=torch.bfloat16) for size in (QK, V))
    rows, tokens = torch.tensor([0, TOKENS], dtype=torch.int32), torch.zeros(TOKENS, dtype=torch.int64)
    scales = {name: 1.0 for name in ("k_scale", "v_scale") if name in inspect.signature(launcher).parameters}
    launcher(
        q, k, v, out, k, v, rows, rows, tokens,
        custom_mask=None, is_causal=True, mask_indptr=None, max_len_extend=TOKENS, **scales,
    )  # fmt: skip


def bug_package(target: ProbeTarget) -> None:
    _attend(_launcher(target))


def fixed_package(target: ProbeTarget) -> None:
    launcher = _launcher(target)
    launcher.__globals__[KERNEL] = LaunchFit(launcher.__globals__[KERNEL], CANDIDATES)
    _attend(launcher)

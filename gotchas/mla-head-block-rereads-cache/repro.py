"""How often a decode step reads each cached token: once for every block of heads.

Models the grid of `_decode_grouped_att_m_fwd` in vLLM 0.33.0: programs of 16 heads, whatever the number of
heads, each of which reads all tokens of its part of the context. The reads are counted program by program.

The upstream probe runs vLLM's own launcher with a kernel that only remembers its grid. Stand-ins, see
`gpu_gotchas.upstream.vllm_kernels`.
"""

from __future__ import annotations

import random

import torch

from gpu_gotchas.fixes.mla_decode import KvForm, plan
from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.upstream.vllm_kernels import load_kernel_module

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

HEADS, LATENT, ROPE, PAGE = 128, 512, 64, 16


def decode_step(seed: int) -> tuple[int, int]:
    """(requests, tokens of context of each)."""
    draw = random.Random(seed)
    return draw.randint(2, 64), PAGE * draw.randint(4, 64)


def reads(grid: tuple[int, int, int], requests: int, context: int) -> float:
    """Reads of a token, on average, when each program of (requests, blocks, parts) reads its part."""
    each = -(-context // grid[2])
    counted = sum(
        min(each, max(0, context - part * each)) for _ in range(grid[1]) for part in range(grid[2])
    ) * (grid[0] / requests)
    return counted / context


def bug_logic(target: ProbeTarget, seed: int) -> float:
    requests, context = decode_step(seed)
    return reads((requests, -(-HEADS // 16), 4), requests, context)


def control_logic(target: ProbeTarget, seed: int) -> float:
    """The same blocks for 16 heads, as each of eight cards has."""
    requests, context = decode_step(seed)
    return reads((requests, -(-16 // 16), 4), requests, context)


def fixed_logic(target: ProbeTarget, seed: int) -> float:
    requests, context = decode_step(seed)
    name = random.Random(seed).choice(["sm_80", "sm_86", "sm_89", "sm_90"])
    made = plan(
        find_target(name), KvForm.FP8, heads=HEADS, batch=requests, context=context, multiprocessors=108
    )
    return reads((requests, made.head_blocks(HEADS), made.splits), requests, context)


def launched(target: ProbeTarget, seed: int, heads: int) -> float:
    """The reads of the grid that the package's launcher asks for."""
    requests, context = decode_step(seed)
    assert target.package
    module = load_kernel_module(target.package, "v1.attention.ops.triton_decode_attention")
    asked: list[tuple[int, int, int]] = []

    class Recorder:
        def __getitem__(self, grid):
            asked.append(grid)
            return lambda *_, **__: None

    module._fwd_grouped_kernel_stage1 = Recorder()
    cache = torch.zeros(4, PAGE, 1, LATENT + ROPE, dtype=torch.bfloat16)
    one = torch.ones(())
    module._decode_grouped_att_m_fwd(
        torch.zeros(requests, heads, LATENT + ROPE, dtype=torch.bfloat16),
        cache,
        cache[..., :LATENT],
        torch.zeros(requests, heads, 4, LATENT + 1),
        torch.zeros(requests, 4, dtype=torch.int32),
        torch.zeros(requests, dtype=torch.int32),
        4,
        1.0,
        PAGE,
        0.0,
        one,
        one,
        is_mla=True,
    )
    return reads(asked[0], requests, context)


def bug_package(target: ProbeTarget, seed: int) -> float:
    return launched(target, seed, HEADS)


def control_package(target: ProbeTarget, seed: int) -> float:
    return launched(target, seed, 16)


def fixed_package(target: ProbeTarget, seed: int) -> float:
    return fixed_logic(target, seed)

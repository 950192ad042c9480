"""How many parts a context is cut into, by a rule that knows neither requests nor heads.

Models `_compute_num_kv_splits` in `v1/attention/backends/mla/triton_mla.py` of vLLM 0.33.0: a part for each
512 tokens, rounded up to a power of two, at most twice the multiprocessors. Each part of each block of 16
heads of each request is a program; what is measured is how many of the card's multiprocessors get one.
"""

from __future__ import annotations

import random
from pathlib import Path

from gpu_gotchas.fixes.mla_decode import KvForm, plan
from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

HEADS_A_PROGRAM = 16
SOURCE = Path("vllm/v1/attention/backends/mla/triton_mla.py")


def decode_step(seed: int) -> tuple[str, int, int, int]:
    """(target, its multiprocessors, query heads, tokens of context), for few requests."""
    draw = random.Random(seed)
    target, multiprocessors = draw.choice([("sm_80", 108), ("sm_90", 132), ("sm_90", 114), ("sm_86", 84)])
    return target, multiprocessors, draw.choice([8, 16]), 16 * draw.randint(260, 512)


def next_power_of_2(number: int) -> int:
    return 1 << (number - 1).bit_length()


def ruled(context: int, multiprocessors: int) -> int:
    """As upstream's function."""
    return min(next_power_of_2(max(1, context // 512)), 2 * multiprocessors)


def share(programs: int, multiprocessors: int) -> float:
    """Of the multiprocessors, those that have something to do."""
    return min(1.0, programs / multiprocessors)


def bug_logic(target: ProbeTarget, seed: int) -> float:
    _, multiprocessors, _, context = decode_step(seed)
    return share(ruled(context, multiprocessors), multiprocessors)


def control_logic(target: ProbeTarget, seed: int) -> float:
    """The same rule for 32 requests: enough programs for any card."""
    _, multiprocessors, _, context = decode_step(seed)
    return share(32 * ruled(context, multiprocessors), multiprocessors)


def fixed_logic(target: ProbeTarget, seed: int) -> float:
    name, multiprocessors, heads, context = decode_step(seed)
    made = plan(
        find_target(name), KvForm.FP8, heads=heads, batch=1, context=context, multiprocessors=multiprocessors
    )
    return share(made.head_blocks(heads) * made.splits, multiprocessors)


def asked(target: ProbeTarget, seed: int, requests: int) -> float:
    """The share that the package's own function gives."""
    _, multiprocessors, _, context = decode_step(seed)
    stand_ins = {
        "_MIN_WORK_PER_SPLIT": 512,
        "_SPLIT_OCCUPANCY_MULTIPLIER": 2,
        "triton": type("triton", (), {"next_power_of_2": staticmethod(next_power_of_2)}),
    }
    name = "_compute_num_kv_splits"
    assert target.package
    source = Path(target.package) / SOURCE
    text = source.read_text(encoding="utf-8")
    for constant in ("_MIN_WORK_PER_SPLIT = 512", "_SPLIT_OCCUPANCY_MULTIPLIER = 2"):
        assert constant in text, f"the package no longer says {constant}"
    splits = take(source, [name], stand_ins)[name](context, multiprocessors)
    return share(requests * splits, multiprocessors)


def bug_package(target: ProbeTarget, seed: int) -> float:
    return asked(target, seed, requests=1)


def control_package(target: ProbeTarget, seed: int) -> float:
    return asked(target, seed, requests=32)


def fixed_package(target: ProbeTarget, seed: int) -> float:
    return fixed_logic(target, seed)

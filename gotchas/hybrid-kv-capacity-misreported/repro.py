"""The capacity that is logged for a hybrid model divides the pool by its groups, and is far too small.

Models `vllm/v1/core/kv_cache_utils.py:_report_kv_cache_config` of vLLM 0.20.0: blocks, divided by the number
of groups, times the smallest block. A group of states takes one block a request, however long it is, so the
blocks are not dealt out evenly. The truth is counted by taking blocks from a pool, request by request.
"""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace

from gpu_gotchas.fixes.kv_capacity import Group, capacity
from gpu_gotchas.fixes.kv_specs import Fit, FullAttention, LinearState, Load
from gpu_gotchas.repro.extract import take

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

SOURCE = Path("vllm/v1/core/kv_cache_utils.py")


def model(seed, states):
    """Blocks of the pool, tokens of a block, tokens of a request, groups of states."""
    draw = random.Random(seed)
    block = 16 * draw.randint(17, 66)
    return draw.randint(1000, 4000), block, block * draw.randint(40, 160), states


def reported(blocks, block, length, states):
    """What the log says."""
    return blocks // (1 + states) * block


def counted(blocks, block, length, states):
    """Tokens that are in the pool once no block is left for another: taken one by one."""
    free, tokens = blocks, 0
    while True:
        if free < states + 1:
            return tokens
        free -= states
        for position in range(length):
            if position % block == 0:
                if free == 0:
                    return tokens
                free -= 1
            tokens += 1


def planned(blocks, block, length, states):
    """What the planner says."""
    groups = [Group(FullAttention(1), Fit(block, block))]
    groups += [Group(LinearState(block), Fit(0, block))] * states
    return capacity(groups, blocks, Load(length, chunk=8192)).tokens


def error(said, true):
    """How far off a figure is, as a share of the truth."""
    return abs(said - true) / true


def bug_logic(target, seed):
    pool = model(seed, states=3)
    return error(reported(*pool), counted(*pool))


def control_logic(target, seed):
    """The same formula for a model whose layers are all alike."""
    pool = model(seed, states=0)
    return error(reported(*pool), counted(*pool))


def fixed_logic(target, seed):
    pool = model(seed, states=3)
    return error(planned(*pool), counted(*pool))


class _Log:
    """Stands in for the logger, and keeps the number of the line that names the capacity."""

    def __init__(self):
        self.tokens = None

    def info(self, text, *values, **_):
        if text.startswith("GPU KV cache size"):
            self.tokens = int(values[0].replace(",", ""))

    info_once = info


def logged(package, blocks, block, length, states):
    """What the package's own function logs for this pool."""
    names = ["_report_kv_cache_config", "get_max_concurrency_for_kv_cache_config", "max_memory_usage_bytes"]
    log = _Log()
    functions = take(Path(package) / SOURCE, names, {"logger": log, "cdiv": lambda a, b: -(-a // b)})

    def spec(pages):
        return SimpleNamespace(
            block_size=block, page_size_bytes=block, max_memory_usage_bytes=lambda _: pages * block
        )

    specs = [spec(-(-length // block))] + [spec(1)] * states
    functions["_report_kv_cache_config"](
        SimpleNamespace(
            model_config=SimpleNamespace(max_model_len=length),
            parallel_config=SimpleNamespace(decode_context_parallel_size=1, prefill_context_parallel_size=1),
        ),
        SimpleNamespace(
            num_blocks=blocks,
            kv_cache_groups=[SimpleNamespace(kv_cache_spec=one, layer_names=["layer"]) for one in specs],
        ),
    )
    return log.tokens


def bug_package(target, seed):
    pool = model(seed, states=3)
    return error(logged(target.package, *pool), counted(*pool))


def control_package(target, seed):
    pool = model(seed, states=0)
    return error(logged(target.package, *pool), counted(*pool))

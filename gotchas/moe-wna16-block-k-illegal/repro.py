"""The heuristic for the tile of 4-bit experts forgets which tiles its CUDA kernel was built for.

The release's own heuristic is asked for one token of two shapes, and its answer is given to the check that
the kernel makes. The kernel itself is compiled and does not run here: the check is written down as
`csrc/moe/moe_wna16.cu` has it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gpu_gotchas.fixes.moe_block_k import GROUPS, legal_block_k
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

TOP_K, BLOCK_M = 8, 16
# Hidden size and rows of the fused gate and up projection: Qwen3-30B-A3B, and 1344 = 42 groups of 32.
SHAPES = [(2048, 1536), (1344, 1536)]


def _kernel(size_k: int, block_k: int, group_size: int) -> int:
    if size_k % block_k:
        raise RuntimeError("size_k must divisible by BLOCK_SIZE_K")
    if block_k // group_size not in GROUPS:
        raise RuntimeError("BLOCK_SIZE_K // group_size must be one of [1, 2, 4, 8]")
    return block_k


def _heuristic(target: ProbeTarget) -> Callable[..., dict[str, int]]:
    assert target.package is not None
    source = Path(target.package) / "vllm/model_executor/layers/fused_moe/fused_moe.py"
    name = "get_moe_wna16_block_config"
    return take(source, [name], {}, if_there=["_ensure_block_size_k_divisible"])[name]  # type: ignore[no-any-return]


def _tile(target: ProbeTarget, shape: tuple[int, int], group_size: int) -> int:
    """BLOCK_SIZE_K for one token, asked with the arguments of vLLM's own launcher."""
    size_k, size_n = shape
    chosen = _heuristic(target)(
        config={"BLOCK_SIZE_M": BLOCK_M},
        use_moe_wna16_cuda=True,
        num_valid_tokens=TOP_K,
        size_k=size_k,
        size_n=size_n,
        num_experts=size_n,
        group_size=group_size,
        real_top_k=TOP_K,
        block_size_m=BLOCK_M,
    )
    return chosen["BLOCK_SIZE_K"]


def bug_package(target: ProbeTarget) -> list[int]:
    refused = []
    for shape in SHAPES:
        tile = _tile(target, shape, 32)
        try:
            _kernel(shape[0], tile, 32)
        except RuntimeError as error:
            refused.append(error)
        else:
            return [tile]  # one that is legal disproves the claim for both
    raise refused[0]  # early releases do not even divide the second shape


def control_package(target: ProbeTarget) -> list[int]:
    """The same shapes in groups of 64."""
    return [_kernel(shape[0], _tile(target, shape, 64), 64) for shape in SHAPES]


def fixed_package(target: ProbeTarget) -> list[int]:
    return [_kernel(shape[0], legal_block_k(shape[0], _tile(target, shape, 32), 32), 32) for shape in SHAPES]

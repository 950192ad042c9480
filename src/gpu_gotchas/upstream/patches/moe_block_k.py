"""The block of W4A16 MoE's CUDA kernel: no longer than eight groups of scales, which is what the kernel takes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import product
from types import ModuleType
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import with_result

ID = "moe-wna16-block-k-illegal"
LEGAL = (1, 2, 4, 8)
"""Groups of scales in one block, for which the kernel was compiled."""


def legal_block(block: int, size_k: int, group: int) -> int:
    """The longest block up to `block` that divides `size_k` and holds a legal number of groups; else `block`."""
    fitting = (group * groups for groups in reversed(LEGAL) if group * groups <= block)
    return next((one for one in fitting if size_k % one == 0), block)


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    signature = inspect.signature(before)

    def change(found: dict[str, int], /, *args: Any, **kwargs: Any) -> dict[str, int]:
        asked = signature.bind(*args, **kwargs).arguments
        block, group = found.get("BLOCK_SIZE_K"), asked["group_size"]
        if not asked["use_moe_wna16_cuda"] or block is None or block / group in LEGAL:
            return found
        return {**found, "BLOCK_SIZE_K": legal_block(block, asked["size_k"], group)}

    return with_result(before, ID, change)


def _asked() -> Iterator[dict[str, int]]:
    tokens, experts, size_k, size_n, groups = (
        (1, 4, 32),
        (8, 64, 128),
        (1024, 2048, 4096),
        (512, 1024),
        (32, 128),
    )
    for m, e, k, n, g in product(tokens, experts, size_k, size_n, groups):
        yield {
            "num_valid_tokens": 8 * m,
            "size_k": k,
            "size_n": n,
            "num_experts": e,
            "group_size": g,
            "real_top_k": 8,
            "block_size_m": 16,
        }


def _ask(module: ModuleType) -> Answer:
    """Shapes of MoE layers, with groups of 32 and 128: every block must be one that the kernel takes."""
    for shape in _asked():
        found = module.get_moe_wna16_block_config(config={}, use_moe_wna16_cuda=True, **shape)
        block, group = found["BLOCK_SIZE_K"], shape["group_size"]
        if block / group not in LEGAL or shape["size_k"] % block:
            return Answer.FAULTY
    return Answer.RIGHT


PATCH = Patch(
    id=ID,
    does="Shortens the block of W4A16 MoE's CUDA kernel to eight groups of scales at most.",
    places=(
        Place(
            "vllm.model_executor.layers.fused_moe.fused_moe",
            "get_moe_wna16_block_config",
            ("_ensure_block_size_k_divisible",),
        ),
    ),
    releases=VersionRange("0.20.0", last_bad="0.33.0"),
    replace=_replace,
    ask=_ask,
)

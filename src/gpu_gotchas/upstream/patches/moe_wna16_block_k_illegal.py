"""The tile of 4-bit experts on vLLM's CUDA kernel: one that the kernel was built for."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

from gpu_gotchas.fixes.moe_block_k import is_legal, legal_block_k
from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import with_result

ID = "moe-wna16-block-k-illegal"


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    signature = inspect.signature(before)

    def change(found: dict[str, int], /, *args: Any, **kwargs: Any) -> dict[str, int]:
        asked = signature.bind(*args, **kwargs).arguments
        block = found.get("BLOCK_SIZE_K")
        if not asked["use_moe_wna16_cuda"] or block is None:
            return found
        return {**found, "BLOCK_SIZE_K": legal_block_k(asked["size_k"], block, asked["group_size"])}

    return with_result(before, ID, change)


def _ask(module: ModuleType) -> Answer:
    """The record's shapes, in groups of 32 and of 128: each tile must be one that the kernel exists for."""
    for size_k, group in ((2048, 32), (1344, 32), (2048, 128)):
        found = module.get_moe_wna16_block_config(
            config={},
            use_moe_wna16_cuda=True,
            num_valid_tokens=8,
            size_k=size_k,
            size_n=1536,
            num_experts=1536,
            group_size=group,
            real_top_k=8,
            block_size_m=16,
        )
        if not is_legal(size_k, found["BLOCK_SIZE_K"], group):
            return Answer.FAULTY
    return Answer.RIGHT


PATCH = Patch(
    id=ID,
    does="Picks a tile for 4-bit experts that vLLM's CUDA kernel was built for.",
    places=(
        Place(
            "vllm.model_executor.layers.fused_moe.fused_moe",
            "get_moe_wna16_block_config",
            ("_ensure_block_size_k_divisible",),
        ),
    ),
    releases=VersionRange("0.8.0", last_bad="0.33.0"),
    replace=_replace,
    ask=_ask,
)

"""Triton's FP8 MoE kernel below 8.9: refused with the way out, where it would stop in Triton's compiler."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType
from typing import Any

from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import Arguments, with_arguments

ID = "fp8-moe-triton-functional-path-ungated"
FIRST = 89
"""Compute capability from which Triton has `fp8e4nv`, in vLLM's spelling."""


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    signature = inspect.signature(before)

    def check(*args: Any, **kwargs: Any) -> Arguments:
        if signature.bind(*args, **kwargs).arguments.get("use_fp8_w8a8"):
            _check_card()
        return args, kwargs

    return with_arguments(before, ID, check)


def _check_card() -> None:
    platform = importlib.import_module("vllm.platforms").current_platform
    if platform.is_cuda() and not platform.has_device_capability(FIRST):
        raise Refused(
            capability=str(platform.get_device_capability()),
            setting="an FP8 W8A8 MoE on Triton's kernel",
            way_out="Triton has no fp8e4nv below 8.9: let Marlin run the experts with 16-bit activations",
        )


def _probe(module: ModuleType) -> Answer:
    """The record's question: the launcher on one tile of FP8, for the card that the child stands in for."""
    import torch
    import triton.language as tl
    from triton.compiler.errors import CompilationError

    tokens, top_k, experts, k, n, block = 16, 1, 2, 128, 128, 16
    e4m3 = torch.float8_e4m3fn
    arguments = {
        "A": torch.zeros(tokens, k).to(e4m3),
        "B": torch.zeros(experts, n, k).to(e4m3),
        "C": torch.zeros(tokens, top_k, n, dtype=torch.bfloat16),
        "A_scale": torch.ones(1),
        "B_scale": torch.ones(experts),
        "topk_weights": None,
        "sorted_token_ids": torch.arange(tokens, dtype=torch.int32),
        "expert_ids": torch.zeros(1, dtype=torch.int32),
        "num_tokens_post_padded": torch.tensor([tokens], dtype=torch.int32),
        "mul_routed_weight": False,
        "top_k": top_k,
        "config": {"BLOCK_SIZE_M": block, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 1},
        "compute_type": tl.bfloat16,
        "use_fp8_w8a8": True,
        "use_int8_w8a8": False,
        "use_int8_w8a16": False,
        "use_int4_w4a16": False,
        "per_channel_quant": False,
    }
    try:
        module.invoke_fused_moe_triton_kernel(**arguments)
    except CompilationError:
        return Answer.FAULTY
    except Refused:
        pass
    return Answer.RIGHT


PATCH = Patch(
    id=ID,
    does="Refuses Triton's FP8 MoE kernel below compute capability 8.9, and names the way out.",
    places=(Place("vllm.model_executor.layers.fused_moe.fused_moe", "invoke_fused_moe_triton_kernel"),),
    releases=VersionRange(last_bad="0.33.0"),
    replace=_replace,
    probe=_probe,
    card="sm_86",
    compiled=True,
)

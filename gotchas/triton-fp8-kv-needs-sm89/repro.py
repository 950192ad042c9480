"""vLLM's selector takes Triton attention for an FP8 cache on cards below 8.9, and its constructor refuses.

The release's own CUDA platform is asked for the backend as the engine asks it, and what it names is built for
one layer. The fix is the setting that the refusal names. Nothing is stood in for but what results name.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch

from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.repro.upstream import as_capability

NEEDS = {
    "gpus": 1,
    "memory_gib": 1,
    "minutes": 3,
    "imports": ["vllm.config", "vllm.v1.attention.backends.triton_attn", "vllm.v1.attention.selector"],
}

HEADS, KV_HEADS, SIZE = 8, 2, 128


def _serve(target: ProbeTarget, cache: str) -> str:
    """Ask for TRITON_ATTN with a cache of that type, and build it; returns its name."""
    from vllm.config import VllmConfig, set_current_vllm_config
    from vllm.platforms import current_platform
    from vllm.v1.attention.backends.registry import AttentionBackendEnum
    from vllm.v1.attention.backends.triton_attn import TritonAttentionBackend
    from vllm.v1.attention.selector import AttentionSelectorConfig

    assert target.capability is not None
    as_capability(target.capability)
    dtype = torch.bfloat16 if target.capability >= (8, 0) else torch.float16
    asked: dict[str, Any] = {
        "head_size": SIZE,
        "dtype": dtype,
        "kv_cache_dtype": cache,
        "block_size": None,
        "attn_type": "decoder",
    }
    known = inspect.signature(AttentionSelectorConfig).parameters
    config = AttentionSelectorConfig(**{name: asked[name] for name in known if name in asked})
    backend = AttentionBackendEnum.TRITON_ATTN
    with set_current_vllm_config(VllmConfig()):
        named = current_platform.get_attn_backend_cls(backend, config)
        assert named.endswith("TritonAttentionBackend")
        TritonAttentionBackend.get_impl_cls()(
            num_heads=HEADS, head_size=SIZE, scale=SIZE**-0.5, num_kv_heads=KV_HEADS, alibi_slopes=None,
            sliding_window=None, kv_cache_dtype=cache,
        )  # fmt: skip
    return named.rpartition(".")[2]


def bug_package(target: ProbeTarget) -> str:
    return _serve(target, "fp8")


def fixed_package(target: ProbeTarget) -> str:
    """The model's own 16-bit type, which is what auto comes to."""
    return _serve(target, "auto")

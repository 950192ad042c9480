"""A backend that is named for the whole model is asked of layers that TurboQuant spares, and refused.

The release's own CUDA platform is asked for the backend of two layers of one model, as each asks for its own:
a layer in TurboQuant's format, and one of those at the ends, which keeps the model's own type. Whichever
backend is named, one of the two refuses it. The fix names none. Nothing is stood in for but what results
name.
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
    "minutes": 2,
    "imports": [
        "vllm.config",
        "vllm.v1.attention.backends.turboquant_attn",
        "vllm.v1.attention.backends.triton_attn",
        "vllm.v1.attention.selector",
    ],
}

QUANTIZED, SPARED = "turboquant_k8v4", "auto"


def _backends(caches: list[str], named: str | None) -> list[str]:
    """The backend that the release gives each layer, on a card of 8.6. named: the one that was asked for."""
    from vllm.config import VllmConfig, set_current_vllm_config
    from vllm.platforms import current_platform
    from vllm.v1.attention.backends.registry import AttentionBackendEnum
    from vllm.v1.attention.selector import AttentionSelectorConfig

    as_capability((8, 6))
    asked: dict[str, Any] = {
        "head_size": 128,
        "dtype": torch.bfloat16,
        "block_size": None,
        "attn_type": "decoder",
    }
    known = inspect.signature(AttentionSelectorConfig).parameters
    common = {name: value for name, value in asked.items() if name in known}
    backend = AttentionBackendEnum[named] if named else None
    with set_current_vllm_config(VllmConfig()):
        chosen = [
            current_platform.get_attn_backend_cls(
                backend, AttentionSelectorConfig(kv_cache_dtype=cache, **common)
            )
            for cache in caches
        ]
    return [name.rpartition(".")[2] for name in chosen]


def bug_package(target: ProbeTarget) -> list[str]:
    try:
        return _backends([QUANTIZED, SPARED], "TRITON_ATTN")
    except ValueError:  # by the quantised layer; the spared one would take it
        return _backends([QUANTIZED, SPARED], "TURBOQUANT")


def control_package(target: ProbeTarget) -> list[str]:
    """The same name for a model of which no layer is spared."""
    return _backends([QUANTIZED, QUANTIZED], "TURBOQUANT")


def fixed_package(target: ProbeTarget) -> list[str]:
    quantized, spared = _backends([QUANTIZED, SPARED], None)
    assert quantized == "TurboQuantAttentionBackend" != spared
    return [quantized, spared]

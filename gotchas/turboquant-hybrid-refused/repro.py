"""vLLM 0.20 refuses a TurboQuant cache for every model in which some layers keep a state.

The branch of the release's own `EngineArgs.create_engine_config` that decides on such a cache runs with a
model of the shape of Qwen3.5: three layers with a state, then one with attention. Stand-ins: the
configurations, with the attributes that the branch reads; `TurboQuantConfig` is the release's own.
"""

from __future__ import annotations

import logging
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace

from gpu_gotchas.fixes.boundary_layers import attention_layers, boundary_layers
from gpu_gotchas.repro.extract import run_branch, take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

HYBRID = ["linear_attention", "linear_attention", "linear_attention", "full_attention"] * 8
UNIFORM = ["full_attention"] * 32
CONFIG = "model_executor/layers/quantization/turboquant/config.py"


def _refuse(kinds: list[str]) -> list[str]:
    """What 0.20.0 decides: the layers at the ends, or nothing at all."""
    if len(attention_layers(kinds)) < len(kinds):
        raise NotImplementedError(
            "TurboQuant KV cache is not supported for hybrid (attention + Mamba) models. "
            "Boundary layer protection requires uniform attention layers."
        )
    return boundary_layers(kinds)


def bug_logic(target: ProbeTarget) -> list[str]:
    return _refuse(HYBRID)


def control_logic(target: ProbeTarget) -> list[str]:
    """The same decision for a model of attention layers only."""
    return _refuse(UNIFORM)


def fixed_logic(target: ProbeTarget) -> list[str]:
    spared = boundary_layers(HYBRID)
    assert spared == ["3", "7", "27", "31"]
    return spared


def _decide(target: ProbeTarget, kinds: list[str], *, hybrid: bool) -> list[str]:
    """The layers that the release spares. hybrid: what it is told that the model is."""
    assert target.package is not None
    package = Path(target.package) / "vllm"
    logger = logging.getLogger("vllm")
    module = ModuleType("vllm.model_executor.layers.quantization.turboquant.config")
    taken = take(
        package / CONFIG,
        ["TurboQuantConfig"],
        {"dataclass": dataclass, "math": math, "logger": logger},
        if_there=["_get_full_attention_layer_indices", "TQ_PRESETS"],
    )
    module.__dict__.update(taken)
    for name in ("vllm", "vllm.model_executor", "vllm.model_executor.layers"):
        sys.modules[name] = ModuleType(name)
    for name in ("quantization", "quantization.turboquant"):
        sys.modules[f"vllm.model_executor.layers.{name}"] = ModuleType(name)
    sys.modules[module.__name__] = module
    text = SimpleNamespace(layer_types=kinds, num_hidden_layers=len(kinds))
    cache_config = SimpleNamespace(kv_cache_dtype_skip_layers=[])
    names = {
        "resolved_cache_dtype": "turboquant_k8v4", "num_layers": len(kinds), "cache_config": cache_config,
        "model_config": SimpleNamespace(is_hybrid=hybrid, hf_text_config=text, hf_config=text),
        "logger": logger,
    }  # fmt: skip
    run_branch(
        package / "engine/arg_utils.py", "EngineArgs.create_engine_config", "startswith('turboquant_')", names
    )
    return cache_config.kv_cache_dtype_skip_layers


def bug_package(target: ProbeTarget) -> list[str]:
    return _decide(target, HYBRID, hybrid=True)


def control_package(target: ProbeTarget) -> list[str]:
    """The same branch for a model of attention layers only."""
    return _decide(target, UNIFORM, hybrid=False)


def fixed_package(target: ProbeTarget) -> list[str]:
    """As a patch would do it: the branch is not told of the states, and its list of ends is replaced."""
    assert _decide(target, HYBRID, hybrid=False) == ["0", "1", "30", "31"]
    return boundary_layers(HYBRID)

"""vLLM refuses an fp8_e5m2 cache for INT4 checkpoints, and calls them FP8 checkpoints.

The release's own `CompressedTensorsConfig.get_quant_method` says how an attention layer of a checkpoint is
quantised that names no scheme for its cache, and its own `_init_kv_cache_quant` takes it from there.
Stand-ins: the classes that layers are told apart by, compressed-tensors' names of layouts, and the
configuration, of which only its scheme is asked for.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import torch

from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

LAYERS = Path("vllm/model_executor/layers")
ATTENTION = LAYERS / "attention/attention.py"
QUANTIZATION = LAYERS / "quantization"
COMPRESSED = QUANTIZATION / "compressed_tensors/compressed_tensors.py"
KINDS = ("LinearBase", "ParallelLMHead", "VocabParallelEmbedding", "FusedMoE", "RoutedExperts")
INIT, METHOD = "_init_kv_cache_quant", "CompressedTensorsKVCacheMethod"


class Strategy(StrEnum):
    """How a checkpoint's scales are laid out; asked for where there is a scheme."""

    TENSOR = "tensor"
    ATTN_HEAD = "attn_head"


class Attention(torch.nn.Module):
    """The layer that is asked about. dtype: that of its cache."""

    def __init__(self, dtype: str) -> None:
        super().__init__()
        self.kv_cache_dtype = dtype


def _loads_scales(target: ProbeTarget, dtype: str, *, quantized: bool = True) -> bool:
    """Whether the layer of a checkpoint with 4-bit weights waits for scales of its cache."""
    assert target.package is not None
    package = Path(target.package)
    kinds: dict[str, Any] = {name: type(name, (), {}) for name in KINDS}
    cache = take(
        package / QUANTIZATION / "kv_cache.py", ["BaseKVCacheMethod"],
        {"torch": torch, "QuantizeMethodBase": object}, if_there=["KVCacheScaleParameter"],
    )  # fmt: skip
    chooses = "CompressedTensorsConfig.get_quant_method"
    compressed = take(
        package / COMPRESSED, [chooses, METHOD],
        {**cache, **kinds, "Attention": Attention, "torch": torch, "QuantizationStrategy": Strategy},
    )  # fmt: skip
    _importable({METHOD: compressed[METHOD], "CompressedTensorsConfig": object})
    starts = take(
        package / ATTENTION, [INIT, "should_load_quant_weights", "set_default_quant_scales"],
        {
            **cache, "torch": torch, "nn": torch.nn, "cast": cast,
            "envs": SimpleNamespace(Q_SCALE_CONSTANT=1, K_SCALE_CONSTANT=1, V_SCALE_CONSTANT=1),
            "UnquantizedLinearMethod": type("UnquantizedLinearMethod", (), {}),
            "resolve_quant_method": lambda config, layer, prefix: config.get_quant_method(layer, prefix),
        },
    )  # fmt: skip
    config = SimpleNamespace(kv_cache_scheme=None)
    config.get_quant_method = lambda layer, prefix: compressed[chooses](config, layer, prefix)
    layer = Attention(dtype)
    starts[INIT](layer, config if quantized else None, "model.layers.0.self_attn.attn")
    return hasattr(layer, "k_scale")


def _importable(names: dict[str, Any]) -> None:
    """Newer releases import these two inside the function."""
    module = ModuleType("vllm.model_executor.layers.quantization.compressed_tensors.compressed_tensors")
    vars(module).update(names)
    parts = module.__name__.split(".")
    for end in range(1, len(parts)):
        sys.modules[".".join(parts[:end])] = ModuleType(parts[end - 1])
    sys.modules[module.__name__] = module


def bug_package(target: ProbeTarget) -> bool:
    return _loads_scales(target, "fp8_e5m2")


def control_package(target: ProbeTarget) -> bool:
    """The same cache for a checkpoint that is not quantised."""
    return _loads_scales(target, "fp8_e5m2", quantized=False)


def fixed_package(target: ProbeTarget) -> bool:
    """The same checkpoint with the cache in the model's own type."""
    return _loads_scales(target, "auto")

"""vLLM 0.20's refusal of a TurboQuant cache for hybrid models: the layers that are spared are found instead.

By name only. The decision is shown; what the rest of 0.20 does with such a model was not run here, and its
pages may need `kv-page-size-not-divisible` too.
"""

from __future__ import annotations

import ast
import logging
from types import ModuleType, SimpleNamespace
from typing import Any

from gpu_gotchas.fixes.boundary_layers import attention_layers, boundary_layers
from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.editing import edited, source_of
from gpu_gotchas.upstream.patch import Answer, Patch, Place

ID = "turboquant-hybrid-refused"
_REFUSAL = """
if model_config.is_hybrid:
    raise NotImplementedError(
        "TurboQuant KV cache is not supported for hybrid "
        "(attention + Mamba) models. Boundary layer protection "
        "requires uniform attention layers."
    )
"""
_BY_NUMBER = "TurboQuantConfig.get_boundary_skip_layers(num_layers)"


def spared(model_config: Any, by_number: list[str]) -> list[str]:
    """The layers to leave unquantised: those at the ends of a model, or of what a hybrid has of attention."""
    if not model_config.is_hybrid:
        return by_number
    config = model_config.hf_text_config
    kinds = getattr(config, "layer_types", None) or getattr(config, "layers_block_type", None)
    if kinds is None:
        raise LookupError(f"{type(config).__name__} does not say what its layers are")
    return boundary_layers(kinds)


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    edits = {_REFUSAL: "pass", _BY_NUMBER: f"_spared(model_config, {_BY_NUMBER})"}
    return edited(before, ID, edits, {"_spared": spared})


def _probe(module: ModuleType) -> Answer:
    """The record's question: what the function's own branch decides for a model of the shape of Qwen3.5."""
    function = vars(module.EngineArgs)["create_engine_config"]
    branches = (node for node in ast.walk(ast.parse(source_of(function))) if isinstance(node, ast.If))
    branch = next((one for one in branches if "startswith('turboquant_')" in ast.unparse(one.test)), None)
    if branch is None:  # a release that knows no such cache refuses none
        return Answer.RIGHT
    kinds = (["linear_attention"] * 3 + ["full_attention"]) * 8
    text = SimpleNamespace(layer_types=kinds, num_hidden_layers=len(kinds))
    cache_config = SimpleNamespace(kv_cache_dtype_skip_layers=[])
    names = {
        "_spared": spared,
        "logger": logging.getLogger(__name__),
        "resolved_cache_dtype": "turboquant_k8v4",
        "cache_config": cache_config,
        "model_config": SimpleNamespace(is_hybrid=True, hf_text_config=text, hf_config=text),
    }
    try:
        exec(compile(ast.Module(body=[branch], type_ignores=[]), module.__file__ or "", "exec"), names)
    except NotImplementedError:
        return Answer.FAULTY
    # Newer releases spare no layer of a hybrid; what none may do is spare layers that keep no keys.
    attention = {str(index) for index in attention_layers(kinds)}
    right = attention.issuperset(cache_config.kv_cache_dtype_skip_layers)
    return Answer.RIGHT if right else Answer.FAULTY


PATCH = Patch(
    id=ID,
    does="Finds the attention layers that TurboQuant spares in a hybrid model. By name only.",
    places=(Place("vllm.engine.arg_utils", "EngineArgs.create_engine_config"),),
    releases=VersionRange("0.20.0", fixed="0.21.0"),
    replace=_replace,
    probe=_probe,
    opt_in=True,
)

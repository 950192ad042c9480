"""What the config.json of a local model folder says: architecture, type, head size, layers, quantisation.

The keys are those that Hugging Face's transformers writes; models with several parts keep those of the
language model in `text_config`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpu_gotchas.doctor.checkpoint import weights_of
from gpu_gotchas.hardware.files import read_bounded

MAX_BYTES = 4 << 20
MAX_LAYERS = 10_000
_LONGEST = 100

_DTYPES = ("float16", "bfloat16", "float32")
# Words in the names that checkpoints give their layers, for layers that keep a state instead of a cache.
_STATES = ("linear", "mamba", "recurrent", "ssm", "conv", "rwkv", "delta")
_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts", "num_routed_experts")
# Keys that only models with state layers have.
_STATE_KEYS = (
    "mamba_d_state",
    "mamba_d_conv",
    "ssm_state_size",
    "linear_num_value_heads",
    "linear_attn_config",
    "full_attention_interval",
    "attn_layer_period",
    "hybrid_override_pattern",
)


class ModelError(ValueError):
    """A model folder that cannot be read: names the file and what is wrong."""


def read_model_folder(folder: Path) -> Mapping[str, str]:
    """Facts by the names that settings give them (`fact` in schema/settings.yaml); unknown ones are left out.

    Raises ModelError where config.json is there and cannot be read as one.
    """
    path = folder / "config.json"
    config = _read(path)
    if config is None:
        return {}
    text = config.get("text_config")
    inner = text if isinstance(text, dict) else {}
    both = {**config, **inner}
    quantised = _quantised(config, inner, folder)
    experts = any(_number(both, key) > 1 for key in _EXPERTS)
    found = {
        "architecture": _word(_first(config.get("architectures"))),
        "model_type": _word(inner.get("model_type") or config.get("model_type")),
        "dtype": _dtype(config, inner),
        "head_size": _head_size(both),
        "heads": str(_number(both, "num_attention_heads") or "") or None,
        "hidden_size": str(_number(both, "hidden_size") or "") or None,
        "attention": "mla" if _number(both, "kv_lora_rank") else "standard",
        "layers": _layers(both),
        "gated_delta_net": _gated(both),
        "experts": "true" if experts else "false",
        "quantization": "none" if quantised is None else _word(quantised.get("quant_method")),
        "kv_cache": _kv_cache(config, inner, quantised),
        "cache_scheme": {None: "none", "fp8": "fp8"}.get(_cache_scheme(quantised)),
        **weights_of(quantised, experts=experts),
    }
    return {name: value for name, value in found.items() if value is not None}


def _read(path: Path) -> dict[str, Any] | None:
    try:
        raw = read_bounded(path, MAX_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    if len(raw) > MAX_BYTES:
        raise ModelError(f"{path}: has more than {MAX_BYTES} bytes")
    try:
        config = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path}: is no JSON: {error}") from None
    if not isinstance(config, dict):
        raise ModelError(f"{path}: wants an object, as transformers writes it")
    return config


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _word(value: Any) -> str | None:
    if isinstance(value, str) and value.isprintable() and 0 < len(value.strip()) <= _LONGEST:
        return value.strip()
    return None


def _number(config: Mapping[str, Any], key: str) -> int:
    value = config.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 31 else 0


def _dtype(config: Mapping[str, Any], inner: Mapping[str, Any]) -> str | None:
    for part in (inner, config):
        for key in ("dtype", "torch_dtype"):
            value = part.get(key)
            name = value.removeprefix("torch.") if isinstance(value, str) else ""
            if name in _DTYPES:
                return name
    return None


def _head_size(config: Mapping[str, Any]) -> str | None:
    """Of the keys as attention sees them; with latent attention the latent and the rotary part together."""
    latent = _number(config, "kv_lora_rank")
    if latent:
        return str(latent + _number(config, "qk_rope_head_dim"))
    given = _number(config, "head_dim")
    heads = _number(config, "num_attention_heads")
    hidden = _number(config, "hidden_size")
    if given:
        return str(given)
    return str(hidden // heads) if heads and hidden else None


def _layers(config: Mapping[str, Any]) -> str | None:
    """uniform, sliding or hybrid, by the names of the layers; None where nothing tells."""
    named = config.get("layer_types") or config.get("layers_block_type")
    if (
        isinstance(named, list)
        and 0 < len(named) <= MAX_LAYERS
        and all(isinstance(one, str) for one in named)
    ):
        kinds = {one.lower() for one in named}
        if any(word in kind for kind in kinds for word in _STATES):
            return "hybrid"
        return "sliding" if len(kinds) > 1 and any("sliding" in kind for kind in kinds) else "uniform"
    if any(config.get(key) for key in _STATE_KEYS):
        return "hybrid"
    if _number(config, "sliding_window") and config.get("use_sliding_window") is not False:
        # Without a pattern it may be in all layers or in every other one.
        return "sliding" if _number(config, "sliding_window_pattern") else None
    # A model that says how many heads it has, and nothing of kinds of layers, has one kind.
    return "uniform" if _number(config, "num_attention_heads") else None


def _gated(config: Mapping[str, Any]) -> str | None:
    """Whether it has gated delta nets, as Qwen's hybrid models name their sizes; None where nothing tells."""
    if _number(config, "linear_num_value_heads") and _number(config, "linear_conv_kernel_dim"):
        return "true"
    return "false" if _layers(config) in ("uniform", "sliding") else None


def _quantised(config: Mapping[str, Any], inner: Mapping[str, Any], folder: Path) -> Mapping[str, Any] | None:
    """`quantization_config`, or what ModelOpt writes beside config.json; None where nothing is quantised."""
    for part in (config, inner):
        quantised = part.get("quantization_config")
        if isinstance(quantised, dict):
            return quantised
    try:
        beside = _read(folder / "hf_quant_config.json")
    except ModelError:
        return {}
    if beside is None:
        return None
    told = beside.get("quantization")
    return {"quant_method": "modelopt", **(told if isinstance(told, dict) else {})}


def _cache_scheme(quantised: Mapping[str, Any] | None) -> str | None:
    """`fp8`, `other` for a scheme that is not understood here, None where none is named."""
    if quantised is None:
        return None
    below = quantised.get("quantization")
    for place in (quantised, below if isinstance(below, dict) else {}):
        scheme = place.get("kv_cache_scheme") or place.get("kv_cache_quant_algo")
        if isinstance(scheme, dict) and scheme.get("num_bits") == 8 and scheme.get("type") == "float":
            return "fp8"
        if isinstance(scheme, str) and scheme.lower() == "fp8":
            return "fp8"
        if scheme:
            return "other"
    return None


def _kv_cache(
    config: Mapping[str, Any], inner: Mapping[str, Any], quantised: Mapping[str, Any] | None
) -> str | None:
    """What `auto` comes to for the KV cache: the scheme that the checkpoint names, else its own type.

    None where the checkpoint names a scheme that is not understood here.
    """
    scheme = _cache_scheme(quantised)
    if scheme is not None:
        return "fp8" if scheme == "fp8" else None
    dtype = _dtype(config, inner)
    return dtype if dtype in ("float16", "bfloat16") else None

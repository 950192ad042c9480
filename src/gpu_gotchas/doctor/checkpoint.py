"""How a checkpoint's weights are stored, as its `quantization_config` names it.

Keys are those that transformers, compressed-tensors and ModelOpt write. What mixes formats, or is not
understood here, is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_NAMED = {
    "fbgemm_fp8": "fp8",
    "ptpc_fp8": "fp8",
    "mxfp4": "mxfp4",
}
_MODELOPT = {"FP8": "fp8", "FP8_PB_WO": "fp8_block", "NVFP4": "nvfp4", "NVFP4_AWQ": "nvfp4"}
# Methods whose `bits` say how wide integers are.
_BY_BITS = ("awq", "gptq", "auto-round", "autoround", "gptq_marlin", "awq_marlin")
_LISTS = ("ignore", "exclude_modules", "modules_to_not_convert", "ignored_layers", "modules_to_not_quantize")
# Parts of a mixture of experts; a list of exceptions that names one may leave its experts as they were.
_EXPERTS = ("expert", "mlp", "moe", "feed_forward", "ffn")
_NO_EXPERTS = ("shared_expert", "gate", "router", "vision", "visual", "mtp")


def weights_of(quantised: Mapping[str, Any] | None, *, experts: bool) -> dict[str, str]:
    """weight_format, expert_format and group_size, by those names.

    quantised: None for a checkpoint that is not quantised. experts: whether the model is a mixture of them.
    """
    if quantised is None:
        return {"weight_format": "none", "expert_format": "none" if experts else "absent"}
    found = {}
    format_, group = _format(quantised)
    method = quantised.get("quant_method")
    if format_ is not None:
        # gpt-oss: of this method experts alone are quantised.
        found["weight_format"] = "none" if method == "mxfp4" else format_
    if group is not None:
        found["group_size"] = str(group)
    if not experts:
        found["expert_format"] = "absent"
    elif format_ is not None and not _spares_experts(quantised):
        found["expert_format"] = format_
    return found


def _format(quantised: Mapping[str, Any]) -> tuple[str | None, int | None]:
    method = quantised.get("quant_method")
    group = _count(quantised.get("group_size"))
    if method == "fp8":
        return ("fp8_block" if quantised.get("weight_block_size") else "fp8"), None
    if method in _BY_BITS:
        bits = quantised.get("bits", quantised.get("w_bit"))
        return ({4: "int4", 8: "int8"}.get(bits) if isinstance(bits, int) else None), group
    if method == "compressed-tensors":
        return _compressed(quantised.get("config_groups"))
    if isinstance(method, str) and method.startswith("modelopt"):
        algorithm = quantised.get("quant_algo")
        return _MODELOPT.get(algorithm) if isinstance(algorithm, str) else None, group
    return _NAMED.get(method) if isinstance(method, str) else None, None


def _compressed(groups: Any) -> tuple[str | None, int | None]:
    """The one format of all groups that compressed-tensors makes, if there is one."""
    found = {_one_group(each) for each in groups.values()} if isinstance(groups, dict) else set()
    return found.pop() if len(found) == 1 else (None, None)


def _one_group(group: Any) -> tuple[str | None, int | None]:
    weights = group.get("weights") if isinstance(group, dict) else None
    if not isinstance(weights, dict):
        return None, None
    bits, size = weights.get("num_bits"), _count(weights.get("group_size"))
    match weights.get("type"), bits:
        case "float", 8:
            return ("fp8_block" if weights.get("strategy") == "block" else "fp8"), None
        case "float", 4:
            return {16: "nvfp4", 32: "mxfp4"}.get(size or 0), size
        case "int", 4:
            return "int4", size
        case "int", 8:
            return "int8", size
    return None, None


def _spares_experts(quantised: Mapping[str, Any]) -> bool:
    """Whether a list of exceptions may name experts."""
    named: Iterable[Any] = (
        name for key in _LISTS for name in quantised.get(key) or () if isinstance(quantised.get(key), list)
    )
    return any(
        not isinstance(name, str)
        or (any(word in name for word in _EXPERTS) and not any(word in name for word in _NO_EXPERTS))
        for name in named
    )


def _count(value: Any) -> int | None:
    right = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 20
    return value if right else None

"""Hardware, version ranges and cards in words, the same in every output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from gpu_gotchas.hardware.conditions import HardwareCondition, VersionRange
from gpu_gotchas.hardware.gpus import GIB
from gpu_gotchas.hardware.machine import Card
from gpu_gotchas.records.setting import Setting


def card_words(cards: Iterable[Card]) -> Iterator[str]:
    """Such as `2 x NVIDIA RTX A5000 (sm_86, 24 GiB)`."""
    for card, count in Counter(cards).items():
        target = card.target.name if card.target else None
        parts = [target] if target is not None and target != card.name else []
        parts += [f"{card.memory / GIB:.0f} GiB"] if card.memory else []
        parts += ["divided by MIG"] if card.mig else []
        words = f"{card.name} ({', '.join(parts)})" if parts else card.name
        yield words if count == 1 else f"{count} x {words}"


def hardware_words(condition: HardwareCondition) -> str:
    """Such as `compute capability <8.9, shared memory <=101376 bytes`."""
    vendors: list[str] = []
    for vendor, one in (condition.vendors or {}).items():
        if one.capabilities:
            vendors.append("compute capability " + " or ".join(span.text for span in one.capabilities))
        elif one.names:
            vendors.append(" or ".join(one.names))
        else:
            vendors.append(f"every {vendor.value.upper()} card")
    said = [" or ".join(vendors)] if vendors else []
    properties = (
        (condition.shared_memory, "shared memory", " bytes"),
        (condition.memory, "memory", " GiB"),
        (condition.count, "GPUs", ""),
    )
    said += [f"{words} {span.text}{unit}" for span, words, unit in properties if span is not None]
    if condition.p2p is not None:
        said.append("peer access" if condition.p2p else "no peer access")
    return ", ".join(said) or "any hardware"


# What a model's folder tells, or a launch comes to, as a question.
_QUESTIONS = {
    "heads_per_gpu": "how many attention heads one GPU has",
    "model_architecture": "which family of models it is",
    "model_type": "which family of models it is",
    "model_dtype": "which type the checkpoint's weights have",
    "model_head_size": "how many numbers a head's key has",
    "model_attention": "whether the model has multi-head latent attention (MLA)",
    "model_layers": "whether all layers attend alike, or some through a window or with a state of their own",
    "model_experts": "whether the model is a mixture of experts",
    "model_quantization": "which kind of quantization the checkpoint has",
    "model_weight_format": "which numbers the checkpoint's quantized layers hold",
    "model_expert_format": "which numbers the checkpoint's experts hold",
    "model_group_size": "how many weights of the checkpoint share a scale",
    "model_cache_scheme": "how the checkpoint wants keys and values stored",
    "model_gated_delta_net": "whether some layers are gated delta nets",
}


def setting_question(name: str, setting: Setting | None) -> str:
    """What would have to be known of a setting, and how to say it."""
    if setting is None:
        return f"what {name} is"
    meaning = setting.meaning.partition(";")[0].rstrip(".")
    asked = meaning[0].lower() + meaning[1:] if meaning.startswith("Whether ") else ""
    way = setting.flag or setting.variable
    if setting.package == "model" or way is None:
        asked = _QUESTIONS.get(name) or asked or f"this: {meaning[0].lower()}{meaning[1:]}"
        return f"{asked}: name the model's folder in the command" if setting.package == "model" else asked
    return f"{asked}: give {way} in the command" if asked else f"what {way} is set to: give it in the command"


def ranges_words(ranges: Sequence[VersionRange]) -> str:
    """Such as `0.20.0 to 0.33.0` or `before 0.21.0`."""
    return " or ".join(map(_range_words, ranges)) or "in every version"


def _range_words(span: VersionRange) -> str:
    first, fixed, last = span.introduced, span.fixed, span.last_bad
    if last:
        return f"{first} to {last}" if first else f"up to {last}"
    if fixed:
        return f"{first} to before {fixed}" if first else f"before {fixed}"
    return f"{first} and newer" if first else "in every version"

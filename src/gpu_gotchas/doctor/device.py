"""Whether a launch uses a GPU at all: `--device cpu` and `VLLM_TARGET_DEVICE=cpu` say that it does not."""

from __future__ import annotations

from collections.abc import Mapping

from gpu_gotchas.hardware.truth import Truth

_SETTINGS = ("device", "VLLM_TARGET_DEVICE", "sglang_device")
_OTHERS = ("cpu", "xpu", "tpu", "hpu", "npu", "neuron", "mps", "openvino", "musa", "empty")
# What the cards of these records are called there; AMD's are `cuda` to torch.
_GPU = ("auto", "cuda", "rocm", "hip", "gpu")


def elsewhere(settings: Mapping[str, str]) -> tuple[str, Truth] | None:
    """The setting that names another device, and whether a GPU is used: NO, or UNKNOWN for a name that nobody
    knows. None where a GPU is used, which is what is asked about unless something says otherwise."""
    for name in _SETTINGS:
        value = settings.get(name, "").strip().lower().partition(":")[0]
        if value and value not in _GPU:
            return f"{name}={value}", Truth.NO if value in _OTHERS else Truth.UNKNOWN
    return None

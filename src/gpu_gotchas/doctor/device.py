"""Whether a launch uses a GPU at all: `--device cpu` and `VLLM_TARGET_DEVICE=cpu` say that it does not."""

from __future__ import annotations

from collections.abc import Mapping

from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth

# The settings that say it, and the package that listens.
_SETTINGS = {"device": "vllm", "VLLM_TARGET_DEVICE": "vllm", "sglang_device": "sglang"}
_OTHERS = ("cpu", "xpu", "tpu", "hpu", "npu", "neuron", "mps", "openvino", "musa", "empty")
# What the cards of these records are called there; AMD's are `cuda` to torch.
_GPU = ("auto", "cuda", "rocm", "hip", "gpu")


def elsewhere(settings: Mapping[str, str], machine: Machine) -> tuple[str, Truth] | None:
    """The setting that names another device, and whether a GPU is used: NO, or UNKNOWN for a name that nobody
    knows. None where a GPU is used, which is what is asked about unless something says otherwise."""
    for name, package in _SETTINGS.items():
        value = settings.get(name, "").strip().lower().partition(":")[0]
        there = machine.software.get(package, "") is not None
        if value and there and value not in _GPU:
            return f"{name}={value}", Truth.NO if value in _OTHERS else Truth.UNKNOWN
    return None

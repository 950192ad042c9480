"""Triton's block-FP8 kernel: says that it is not supported where Triton has no E4M3."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import with_result

ID = "triton-block-fp8-self-reports-supported"
FIRST = 89
"""Compute capability from which Triton has `fp8e4nv`, in vLLM's spelling."""


def _platform() -> Any:
    return importlib.import_module("vllm.platforms").current_platform


def _honest(said: Any, /, cls: Any, compute_capability: int | None = None) -> Any:  # noqa: ARG001
    platform = _platform()
    if not said[0] or not platform.is_cuda():
        return said
    capability = compute_capability
    if capability is None:
        found = platform.get_device_capability()
        capability = None if found is None else found.to_int()
    if capability is not None and capability < FIRST:
        return (
            False,
            f"Triton has no fp8e4nv below compute capability 8.9, and this card has {capability / 10}.",
        )
    return said


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    return with_result(before, ID, _honest)


def _ask(module: ModuleType) -> Answer:
    """What the kernel says of cards below 8.9, and of those from there on. Off CUDA it says no to all."""
    if not _platform().is_cuda():
        return Answer.UNASKED
    kernel = module.TritonFp8BlockScaledMMKernel
    below = any(kernel.is_supported(capability)[0] for capability in (75, 80, 86, 87))
    above = all(kernel.is_supported(capability)[0] for capability in (89, 90, 100, 120))
    return Answer.RIGHT if above and not below else Answer.FAULTY


PATCH = Patch(
    id=ID,
    does="Lets Triton's block-FP8 kernel say that it does not run below compute capability 8.9.",
    places=(
        Place(
            "vllm.model_executor.kernels.linear.scaled_mm.triton", "TritonFp8BlockScaledMMKernel.is_supported"
        ),
    ),
    releases=VersionRange("0.20.0", last_bad="0.33.0"),
    replace=_replace,
    ask=_ask,
    card="sm_86",
)

"""TurboQuant's FP8 key store below 8.9: bfloat16 keys go through float32, which Triton can convert from."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import Arguments, WithLaunchArguments

ID = "turboquant-bf16-key-cast-below-sm89"


def _staged(keys: Any, /, *rest: Any, **kwargs: Any) -> Arguments:
    from gpu_gotchas.fixes.staged_cast import stage

    return (stage(keys) if kwargs.get("FP8_E4B15") else keys, *rest), kwargs


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    return WithLaunchArguments(before, ID, _staged)


def _probe(module: ModuleType) -> Answer:
    """The record's question: the launcher on a few bfloat16 keys, for the card that is stood in for."""
    import torch
    from triton.compiler.errors import CompilationError

    from gpu_gotchas.upstream.vllm_launches import store_turboquant

    try:
        store_turboquant(module, torch.zeros(4, 2, 128, dtype=torch.bfloat16))
    except CompilationError:
        return Answer.FAULTY
    return Answer.RIGHT


PATCH = Patch(
    id=ID,
    does="Converts bfloat16 keys to float32 before TurboQuant's key store casts them to FP8 below 8.9.",
    places=(
        Place(
            "vllm.v1.attention.ops.triton_turboquant_store",
            "_tq_fused_store_fp8",
            ("triton_turboquant_store",),
        ),
    ),
    releases=VersionRange("0.20.0", fixed="0.26.0"),
    replace=_replace,
    probe=_probe,
    card="sm_86",
    compiled=True,
)

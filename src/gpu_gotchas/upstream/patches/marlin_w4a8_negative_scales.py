"""Marlin's 8-bit activations on negative group scales: refused, where the kernel reads them as large."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import Arguments, with_arguments

ID = "marlin-w4a8-negative-scales"


def _check(scales: Any, /, *rest: Any, **kwargs: Any) -> Arguments:
    negative = int((scales < 0).sum())
    if negative:
        raise Refused(
            capability="Marlin's kernel",
            setting=f"VLLM_MARLIN_INPUT_DTYPE=int8 with {negative} of {scales.numel()} negative group scales",
            way_out="unset VLLM_MARLIN_INPUT_DTYPE, or fold the signs into the codes: fixes.signed_scales",
        )
    return (scales, *rest), kwargs


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    return with_arguments(before, ID, _check)


def _ask(module: ModuleType) -> Answer:
    """Scales with a negative one, read back as the kernel reads them: 16-bit numbers without a sign."""
    import torch

    scales = torch.tensor([[0.5, -0.25], [0.125, 1.0]])
    try:
        codes, factor = module.marlin_act_int8_process_scales(scales.to(torch.bfloat16))
    except Refused:
        return Answer.RIGHT
    read = codes.view(torch.int16).to(torch.int32) & 0xFFFF
    return Answer.RIGHT if torch.allclose(read * factor, scales, atol=1e-2) else Answer.FAULTY


PATCH = Patch(
    id=ID,
    does="Refuses 8-bit activations on Marlin for a checkpoint with negative group scales.",
    places=(
        Place("vllm.model_executor.layers.quantization.utils.marlin_utils", "marlin_act_int8_process_scales"),
    ),
    releases=VersionRange("0.12.0", last_bad="0.33.0"),
    replace=_replace,
    ask=_ask,
)

"""MLA's grouped decode kernel: launched in the first configuration whose shared memory the card can give."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import Arguments, WithLaunchArguments

ID = "triton-mla-fp8-smem-overflow"
# The launch as it stands, then the same tiles without pipelining, then smaller tiles.
CANDIDATES: tuple[dict[str, int], ...] = ({}, {"num_stages": 1}, {"num_stages": 1, "BLOCK_N": 16})


class _Planned:
    """What the planner makes of a launch, remembered for launches that compile alike.

    The planner compiles what the launch is about to compile anyway. Asking it costs more than a launch, so it
    is asked once for each set of dtypes, constants and alignments that Triton tells apart.
    """

    def __init__(self, kernel: Any) -> None:
        from gpu_gotchas.fixes.launch_fit import LaunchFit

        self._fit = LaunchFit(kernel, CANDIDATES)
        self._known: dict[Any, Any] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Arguments:
        key = (*map(_kind, args), *kwargs.items())
        config = self._known.get(key)
        if config is None:
            config = self._known[key] = self._fit.fit(*args, **kwargs).config
        return args, {**kwargs, **config}


def _kind(argument: Any) -> object:
    """What of an argument decides how a kernel is compiled: dtype, device, alignment, or kind of number."""
    if hasattr(argument, "data_ptr"):
        return argument.dtype, argument.device, argument.data_ptr() % 16 == 0
    if isinstance(argument, int):
        return argument == 1, argument % 16 == 0, argument.bit_length() > 31
    return type(argument)


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    return WithLaunchArguments(before, ID, _Planned(before))


def _probe(module: ModuleType) -> Answer:
    """The record's question: DeepSeek's latent over an FP8 cache, for the card that is stood in for."""
    import torch
    from triton.runtime.errors import OutOfResources

    from gpu_gotchas.upstream.vllm_launches import decode_mla

    try:
        decode_mla(module, torch.float8_e4m3fn)
    except OutOfResources:
        return Answer.FAULTY
    return Answer.RIGHT


PATCH = Patch(
    id=ID,
    does="Launches MLA's Triton decode with fewer stages or smaller tiles where a card has too little room.",
    places=(
        Place(
            "vllm.v1.attention.ops.triton_decode_attention",
            "_fwd_grouped_kernel_stage1",
            ("_decode_grouped_att_m_fwd",),
        ),
    ),
    releases=VersionRange("0.20.0", last_bad="0.33.0"),
    replace=_replace,
    probe=_probe,
    card="sm_89",
    compiled=True,
)

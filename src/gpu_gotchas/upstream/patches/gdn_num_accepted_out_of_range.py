"""Counts of accepted tokens that a delta-net kernel uses as an index: held within what was drafted."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.asking import standing_in
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import Arguments, with_arguments

ID = "gdn-num-accepted-out-of-range"
_OPS = "vllm.third_party.flash_linear_attention.ops", "vllm.model_executor.layers.fla.ops"
_LAUNCHER = "fused_recurrent_gated_delta_rule_fwd"
_KERNEL = f"{_LAUNCHER}_kernel"


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    signature = inspect.signature(before)

    def within(*args: Any, **kwargs: Any) -> Arguments:
        from gpu_gotchas.fixes.accepted_tokens import bounded

        asked = signature.bind(*args, **kwargs)
        given = asked.arguments
        counts, indices = given.get("num_accepted_tokens"), given.get("ssm_state_indices")
        if counts is not None and indices is not None and indices.ndim == 2:
            given["num_accepted_tokens"] = bounded(counts, indices.shape[1] - 1)
        return asked.args, asked.kwargs

    return with_arguments(before, ID, within)


class _Recorder:
    """Stands in for the kernel and keeps what it is launched with."""

    def __init__(self) -> None:
        self.given: list[dict[str, Any]] = []

    def __getitem__(self, grid: Any) -> Any:
        return lambda **given: self.given.append(given)


def _probe(module: ModuleType) -> Answer:
    """The record's launch, for two requests, the second with a count of zero: what the kernel is given.

    The kernel takes one from each count and reads at that index, so a count below one, or beyond what was
    drafted, is the fault.
    """
    import torch

    tokens, size = 3, 16
    recorder = _Recorder()
    with standing_in(module, _KERNEL, recorder):
        getattr(module, _LAUNCHER)(
            **{name: torch.zeros(1, 2 * tokens, 1, size) for name in ("q", "k", "v")},
            g=torch.zeros(1, 2 * tokens, 1),
            beta=torch.zeros(1, 2 * tokens, 1),
            scale=1.0,
            initial_state=torch.zeros(2 * tokens + 1, 1, size, size),
            cu_seqlens=torch.tensor([0, tokens, 2 * tokens]),
            ssm_state_indices=torch.arange(1, 2 * tokens + 1, dtype=torch.int32).reshape(2, tokens),
            num_accepted_tokens=torch.tensor([9, 0], dtype=torch.int32),
        )
    (given,) = recorder.given
    counts = given["num_accepted_tokens"]
    return Answer.RIGHT if int(counts.min()) >= 1 and int(counts.max()) <= tokens else Answer.FAULTY


PATCH = Patch(
    id=ID,
    does="Holds counts of accepted tokens within what was drafted before a delta-net kernel reads by them.",
    places=tuple(Place(f"{ops}.fused_recurrent", _LAUNCHER, (_KERNEL,)) for ops in _OPS),
    releases=VersionRange("0.10.2", last_bad="0.33.0"),
    replace=_replace,
    probe=_probe,
)

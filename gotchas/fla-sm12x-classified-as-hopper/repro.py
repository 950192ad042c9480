"""vLLM's copy of flash-linear-attention calls every card from 9.0 on a Hopper, and tunes for that.

The release's own expression, `is_nvidia_hopper`, is evaluated for each target. Stand-ins: `torch`, which
answers with that target's name and capability, and `is_nvidia`, which is true.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from gpu_gotchas.fixes.arch_family import is_hopper
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

PLACES = ("third_party/flash_linear_attention/ops", "model_executor/layers/fla/ops")
HOPPER = (9, 0)


def _source(target: ProbeTarget, name: str) -> Path:
    """A file of the copy, which moved in 0.26.0."""
    assert target.package is not None
    paths = [Path(target.package) / "vllm" / place / name for place in PLACES]
    return next((path for path in paths if path.is_file()), paths[0])


def _taken_for_hopper(target: ProbeTarget) -> bool:
    cuda = SimpleNamespace(
        get_device_name=lambda _: "NVIDIA H100 80GB HBM3" if target.capability == HOPPER else "NVIDIA",
        get_device_capability=lambda *_: target.capability,
    )
    stand_ins = {"is_nvidia": True, "torch": SimpleNamespace(cuda=cuda)}
    name = "is_nvidia_hopper"
    return bool(take(_source(target, "utils.py"), [name], stand_ins)[name])


def _wrong(target: ProbeTarget, taken_for_hopper: bool) -> int:
    """1 where a card is tuned as another generation. The list that it would be tuned with must be there."""
    warps = take(_source(target, "chunk_o.py"), ["NUM_WARPS"], {"is_nvidia_hopper": taken_for_hopper})
    assert (8 in warps["NUM_WARPS"]) != taken_for_hopper
    return int(taken_for_hopper != (target.capability == HOPPER))


def bug_package(target: ProbeTarget, seed: int) -> int:
    return _wrong(target, _taken_for_hopper(target))


def fixed_package(target: ProbeTarget, seed: int) -> int:
    assert target.capability is not None
    return _wrong(target, is_hopper(target.capability))

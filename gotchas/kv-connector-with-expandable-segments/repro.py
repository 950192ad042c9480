"""vLLM's check for a KV connector under expandable segments reads one variable in one spelling.

The release's own `VllmConfig._verify_kv_transfer_compat` is asked under three settings that switch expandable
segments on in PyTorch, and lets some of them start. What a transfer does then is not run here: it takes two
machines with network cards that read each other's memory.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

from gpu_gotchas.fixes.allocator import VARIABLES, refuse_remapping
from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.repro.absent import Absent
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

CONNECTOR = "NixlConnector"
ON = [
    {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"},
    {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments: True"},
    {"PYTORCH_ALLOC_CONF": "expandable_segments:True"},
]
OFF = [{name: "expandable_segments:False"} for name in VARIABLES[:2]]
CHECK = "VllmConfig._verify_kv_transfer_compat"


def _set(environ: dict[str, str]) -> None:
    for name in VARIABLES:
        os.environ.pop(name, None)
    os.environ.update(environ)


def _starts(target: ProbeTarget, environ: dict[str, str]) -> bool:
    """Whether the release starts. One that has no such check does."""
    assert target.package is not None
    _set(environ)
    asked = SimpleNamespace(kv_transfer_config=SimpleNamespace(kv_connector=CONNECTOR), model_config=None)
    try:
        take(Path(target.package) / "vllm/config/vllm.py", [CHECK], {"os": os})[CHECK](asked)
    except Absent:
        return True
    except ValueError as refusal:
        if "expandable_segments" in str(refusal):
            return False
        raise
    return True


def bug_package(target: ProbeTarget, seed: int) -> int:
    return sum(_starts(target, environ) for environ in ON)


def control_package(target: ProbeTarget, seed: int) -> int:
    """The same check without expandable segments: it must start, and the guard must let it."""
    for environ in OFF:
        assert _starts(target, environ)
        refuse_remapping(CONNECTOR)
    return 0


def fixed_package(target: ProbeTarget, seed: int) -> int:
    let_through = 0
    for environ in ON:
        _set(environ)
        try:
            refuse_remapping(CONNECTOR)
        except Refused as refusal:
            refused = refusal
        else:
            let_through += 1
    if let_through:
        return let_through
    raise refused

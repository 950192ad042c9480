"""vLLM reads CUDA_VISIBLE_DEVICES as numbers, where CUDA takes UUIDs as well.

The release's own `Platform.device_id_to_physical_device_id` is asked for its first device, and from 0.24.0 on
`NvmlCudaPlatform.device_control_id_to_physical_device_id` with it. Bug and control differ in the variable
only. Stand-in: NVML, with two cards of known UUIDs.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from gpu_gotchas.fixes.visible_devices import as_indices
from gpu_gotchas.repro.absent import Absent
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

UUIDS = ["GPU-0a1b2c3d-1111-4a7e-8705-d3dfecaf9bda", "GPU-52a3b9d1-6f6c-4a7e-8705-d3dfecaf9bda"]
SECOND = UUIDS[1]
ASKED = "Platform.device_id_to_physical_device_id"
TRANSLATES = "NvmlCudaPlatform.device_control_id_to_physical_device_id"


def _first_device(target: ProbeTarget, visible: str) -> int:
    """The number of the card that the release takes for its first one."""
    assert target.package is not None
    platforms = Path(target.package) / "vllm/platforms"
    nvml = SimpleNamespace(nvmlDeviceGetHandleByUUID=UUIDS.index, nvmlDeviceGetIndex=lambda handle: handle)
    platform = SimpleNamespace(device_control_env_var="CUDA_VISIBLE_DEVICES", device_name="cuda")
    try:
        stand_ins = {"pynvml": nvml, "with_nvml_context": lambda function: function}
        translated = take(platforms / "cuda.py", [TRANSLATES], stand_ins)[TRANSLATES]
        platform.device_control_id_to_physical_device_id = lambda entry: _call(translated, platform, entry)
    except Absent:  # before 0.24.0
        pass
    asked = take(platforms / "interface.py", [ASKED], {"os": os, "_assigned_physical_gpu_ids": None})[ASKED]
    os.environ["CUDA_VISIBLE_DEVICES"] = visible
    return _call(asked, platform, 0)


def _call(method: Any, *arguments: object) -> Any:
    """A class method that was taken out of its class."""
    return method.__func__(*arguments)


def bug_package(target: ProbeTarget) -> int:
    return _first_device(target, SECOND)


def control_package(target: ProbeTarget) -> int:
    """The same card by its number."""
    found = _first_device(target, "1")
    assert found == 1
    return found


def fixed_package(target: ProbeTarget) -> int:
    found = _first_device(target, as_indices(SECOND, UUIDS))
    assert found == 1
    return found

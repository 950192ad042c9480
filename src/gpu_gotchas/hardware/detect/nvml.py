"""NVIDIA cards through NVML, the library behind nvidia-smi. It opens no CUDA context."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from itertools import permutations
from typing import Any

from gpu_gotchas.hardware.detect.finding import NVIDIA_GPUS, Finding, card, nothing
from gpu_gotchas.hardware.machine import Card
from gpu_gotchas.hardware.targets import Vendor, nvidia_target_name

_P2P_READ = 0
_P2P_OK = 0
_MIG_ON = 1
_P2P_UNKNOWN = 6


def find() -> Finding:
    """Cards, `nvidia-driver`, `cuda-runtime` and peer access, as NVML reports them. Never raises.

    `cuda-runtime` is the newest CUDA runtime that the driver serves.
    """
    try:
        from gpu_gotchas.hardware.detect.nvml_library import Library  # here: ctypes costs start-up time

        library = Library()
    except (OSError, ImportError) as error:
        return nothing(NVIDIA_GPUS, f"NVML: {error}")
    return read(library)


def read(library: Any) -> Finding:
    """As `find`, with the library to ask."""
    try:
        library.nvmlInit()
    except Exception as error:
        return nothing(NVIDIA_GPUS, f"NVML: {error}")
    try:
        handles = [library.nvmlDeviceGetHandleByIndex(i) for i in range(library.nvmlDeviceGetCount())]
        cards = tuple(_card(library, handle) for handle in handles)
        return Finding(cards, _software(library), _p2p(library, handles))
    except Exception as error:
        return nothing(NVIDIA_GPUS, f"NVML: {error}")
    finally:
        with contextlib.suppress(Exception):
            library.nvmlShutdown()


def _card(library: Any, handle: Any) -> Card:
    name = _text(library.nvmlDeviceGetName(handle))
    target = memory = mig = None
    with contextlib.suppress(Exception):
        major, minor = library.nvmlDeviceGetCudaComputeCapability(handle)
        target = nvidia_target_name((major, minor))
    with contextlib.suppress(Exception):  # a card that shares the system's memory reports none
        memory = int(library.nvmlDeviceGetMemoryInfo(handle).total)
    with contextlib.suppress(Exception):  # most cards cannot be divided, and say so by failing
        mig = library.nvmlDeviceGetMigMode(handle)[0] == _MIG_ON
    return card(Vendor.NVIDIA, name, target, memory, mig)


def _software(library: Any) -> dict[str, str | None]:
    software: dict[str, str | None] = {}
    with contextlib.suppress(Exception):
        software["nvidia-driver"] = _text(library.nvmlSystemGetDriverVersion())
    with contextlib.suppress(Exception):
        version = library.nvmlSystemGetCudaDriverVersion_v2()
        software["cuda-runtime"] = f"{version // 1000}.{version % 1000 // 10}"
    return software


def _p2p(library: Any, handles: Sequence[Any]) -> bool | None:
    """Whether every card reaches every other one's memory; None for a single card, or where it is mixed."""
    statuses = set()
    for one, other in permutations(handles, 2):
        try:
            statuses.add(library.nvmlDeviceGetP2PStatus(one, other, _P2P_READ))
        except Exception:
            return None
    if not statuses or _P2P_UNKNOWN in statuses or (_P2P_OK in statuses and len(statuses) > 1):
        return None
    return statuses == {_P2P_OK}


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

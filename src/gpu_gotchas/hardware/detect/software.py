"""What is installed here, from package metadata alone: nothing is imported, so nothing touches a GPU."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from gpu_gotchas.hardware.detect.finding import Finding
from gpu_gotchas.hardware.detect.installed import versions
from gpu_gotchas.hardware.machine import Unknown
from gpu_gotchas.hardware.package_names import OTHER_NAMES, PACKAGES

_CUDA_RUNTIMES = ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu13", "nvidia-cuda-runtime-cu12")
_ROCM_VERSION = Path("/opt/rocm/.info/version")


def find(rocm_version: Path = _ROCM_VERSION, folders: Iterable[str] | None = None) -> Finding:
    """Versions of Python, the packages that records speak of, and the CUDA and ROCm runtimes. Never raises.

    A package that is not installed for this Python is listed with None. A runtime that was not found is
    left out: it may still be there in another form. folders: as in `installed.versions`.
    """
    others = [name for names in OTHER_NAMES.values() for name in names]
    installed = versions((*PACKAGES, *others, *_CUDA_RUNTIMES), folders)
    found: dict[str, str | None] = {"python": ".".join(map(str, sys.version_info[:3]))}
    unknown: list[Unknown] = []
    for package in PACKAGES:
        version = _first(installed, (package, *OTHER_NAMES.get(package, ())))
        if isinstance(version, Unknown):
            unknown.append(Unknown(package, version.because))
        else:
            found[package] = version
    runtime = _first(installed, _CUDA_RUNTIMES)
    if isinstance(runtime, str):
        found["cuda-runtime"] = ".".join(runtime.split(".")[:2])
    rocm = _rocm(rocm_version)
    if rocm:
        found["rocm"] = rocm
    return Finding(software=found, unknown=tuple(unknown))


def _first(installed: Mapping[str, str | Unknown], names: tuple[str, ...]) -> str | Unknown | None:
    return next((installed[name] for name in names if name in installed), None)


def _rocm(path: Path) -> str | None:
    """The version in `7.1.1-38`."""
    try:
        match = re.match(r"[0-9]+(\.[0-9]+)+", path.read_text(encoding="ascii", errors="replace")[:100])
    except OSError:
        return None
    return match[0] if match else None

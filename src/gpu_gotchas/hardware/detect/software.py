"""What is installed here, from package metadata alone: nothing is imported, so nothing touches a GPU."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from pathlib import Path

from gpu_gotchas.hardware.detect.finding import Finding
from gpu_gotchas.hardware.machine import Unknown

PACKAGES = (
    "torch",
    "triton",
    "vllm",
    "sglang",
    "flashinfer-python",
    "flash-attn",
    "transformers",
    "xformers",
)

# The same module is published under other names for nightlies, ROCm and Windows.
_OTHER_NAMES = {"triton": ("pytorch-triton", "pytorch-triton-rocm", "triton-rocm", "triton-windows")}
_CUDA_RUNTIMES = ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu13", "nvidia-cuda-runtime-cu12")
_ROCM_VERSION = Path("/opt/rocm/.info/version")


def find(rocm_version: Path = _ROCM_VERSION) -> Finding:
    """Versions of Python, the packages that records speak of, and the CUDA and ROCm runtimes. Never raises.

    A package that is not installed for this Python is listed with None. A runtime that was not found is
    left out: it may still be there in another form.
    """
    found: dict[str, str | None] = {"python": ".".join(map(str, sys.version_info[:3]))}
    unknown: list[Unknown] = []
    for package in PACKAGES:
        try:
            found[package] = _first_version((package, *_OTHER_NAMES.get(package, ())))
        except Exception as error:
            unknown.append(Unknown(package, f"its metadata cannot be read: {error}"))
    runtime = _runtime()
    if runtime:
        found["cuda-runtime"] = runtime
    rocm = _rocm(rocm_version)
    if rocm:
        found["rocm"] = rocm
    return Finding(software=found, unknown=tuple(unknown))


def _first_version(names: tuple[str, ...]) -> str | None:
    for name in names:
        try:
            version: str | None = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        if not version:
            raise ValueError(f"{name} does not say its version")
        return version
    return None


def _runtime() -> str | None:
    try:
        version = _first_version(_CUDA_RUNTIMES)
    except Exception:
        return None
    return ".".join(version.split(".")[:2]) if version else None


def _rocm(path: Path) -> str | None:
    """The version in `7.1.1-38`."""
    try:
        match = re.match(r"[0-9]+(\.[0-9]+)+", path.read_text(encoding="ascii", errors="replace")[:100])
    except OSError:
        return None
    return match[0] if match else None

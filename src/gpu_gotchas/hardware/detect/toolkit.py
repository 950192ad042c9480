"""The CUDA toolkit, and the assemblers that kernels are built with: its ptxas and the ones inside Triton."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from gpu_gotchas.hardware.detect.finding import Finding
from gpu_gotchas.hardware.detect.parallel import together
from gpu_gotchas.hardware.detect.tools import Output, run
from gpu_gotchas.hardware.machine import Unknown

SECONDS = 3.0
TRITON_TOOLS = {"triton-ptxas": "ptxas", "triton-ptxas-blackwell": "ptxas-blackwell"}

_HOMES = ("CUDA_HOME", "CUDA_PATH")
_RELEASE = re.compile(r"release ([0-9]+\.[0-9]+), V([0-9]+(?:\.[0-9]+)+)")


def find(
    environ: Mapping[str, str] = os.environ,
    default: Path = Path("/usr/local/cuda"),
    packages: Iterable[str] | None = None,
) -> Finding:
    """`cuda-toolkit`, `ptxas` and Triton's own, as far as they are there. Never raises.

    packages: folders that hold installed packages; by default where this Python looks for them.
    A toolkit that was not found is left out: it may lie elsewhere.
    """
    homes = [Path(environ[name]) for name in _HOMES if environ.get(name)] or [default]
    tools: dict[str, Path] = {}
    software: dict[str, str | None] = {}
    for home in homes:
        software.update(_written_down(home))
        if "ptxas" not in software and (home / "bin/ptxas").is_file():
            tools["ptxas"] = home / "bin/ptxas"
        if "cuda-toolkit" not in software and (release := _header(home)):
            software["cuda-toolkit"] = release
        if "cuda-toolkit" not in software and (home / "bin/nvcc").is_file():
            tools["cuda-toolkit"] = home / "bin/nvcc"
    tools.update(_triton(sys.path if packages is None else packages))
    answers = together({name: partial(_version, name, path) for name, path in tools.items()})
    unknown = [
        Unknown(name, answer.because) for name, answer in answers.items() if isinstance(answer, Unknown)
    ]
    software.update({name: answer for name, answer in answers.items() if isinstance(answer, str)})
    return Finding(software=software, unknown=tuple(unknown))


def _written_down(home: Path) -> dict[str, str | None]:
    """What a toolkit's version.json says; nothing is started for it."""
    try:
        with (home / "version.json").open(encoding="utf-8") as file:
            parts = json.loads(file.read(1 << 20))
        pairs = {"cuda-toolkit": parts["cuda"]["version"], "ptxas": parts["cuda_nvcc"]["version"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return {name: text for name, text in pairs.items() if isinstance(text, str) and text[:1].isdigit()}


def _header(home: Path) -> str | None:
    """The release in `#define CUDA_VERSION 12080`."""
    try:
        with (home / "include/cuda.h").open(encoding="utf-8", errors="replace") as file:
            match = re.search(r"^#define CUDA_VERSION ([0-9]{4,6})$", file.read(1 << 20), re.MULTILINE)
    except OSError:
        return None
    return f"{int(match[1]) // 1000}.{int(match[1]) % 1000 // 10}" if match else None


def _triton(packages: Iterable[str]) -> dict[str, Path]:
    for folder in packages:
        tools = Path(folder or ".") / "triton/backends/nvidia/bin"
        if tools.is_dir():
            return {name: tools / file for name, file in TRITON_TOOLS.items() if (tools / file).is_file()}
    return {}


def _version(name: str, path: Path) -> str | Unknown:
    answer = run([str(path), "--version"], seconds=SECONDS)
    return Unknown(name, answer.because) if isinstance(answer, Unknown) else read(name, answer)


def read(name: str, answer: Output) -> str | Unknown:
    """What `Cuda compilation tools, release 12.8, V12.8.93` says: the toolkit's release, a tool's version."""
    match = _RELEASE.search(answer.text)
    if match is None:
        return Unknown(name, "its --version names no release")
    return match[1] if name == "cuda-toolkit" else match[2]

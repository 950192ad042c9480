"""One name for each package, whichever of its names a file uses."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpu_gotchas.hardware.package_names import OTHER_NAMES
from gpu_gotchas.hardware.versions import canonical, equal_form

MAX_PACKAGES = 20_000

_MAIN = {other: name for name, others in OTHER_NAMES.items() for other in others}
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,78}[A-Za-z0-9])?")
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+!_-]{0,63}")
_RUNTIMES = ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime-cu13")
_CUDA_BUILD = re.compile(r".*\+cu([0-9]{2,3})\b.*")


def package_name(name: str) -> str | None:
    """The name that records use, None for what is no name."""
    if not _NAME.fullmatch(name):
        return None
    found = canonical(name)
    return _MAIN.get(found, found)


def software_of_pins(pins: Iterable[tuple[str, str]]) -> dict[str, str | None]:
    """Versions by package. A package with two pins that differ, or with one that may not count (""), is left
    out: which one holds is not known."""
    found: dict[str, set[str]] = {}
    for raw, version in pins:
        name = package_name(raw)
        if name is not None and (not version or _VERSION.fullmatch(version)) and len(found) < MAX_PACKAGES:
            found.setdefault(name, set()).add(version)
    software: dict[str, str | None] = {
        name: max(versions, key=len)
        for name, versions in found.items()
        if len({equal_form(one) for one in versions}) == 1 and versions != {""}
    }
    add_cuda_runtime(software)
    return software


def add_cuda_runtime(software: dict[str, str | None]) -> None:
    """The CUDA runtime that packages bring, where their versions tell it."""
    runtime = next((software[name] for name in _RUNTIMES if software.get(name)), None)
    build = _CUDA_BUILD.fullmatch(software.get("torch") or "")
    if runtime is not None:
        software["cuda-runtime"] = ".".join(runtime.split(".")[:2])
    elif build is not None:
        software["cuda-runtime"] = f"{build[1][:-1]}.{build[1][-1]}"

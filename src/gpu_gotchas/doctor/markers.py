"""Environment markers of requirements (PEP 508): whether one holds where inference is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from gpu_gotchas.hardware.truth import Truth

# Linux, with what the engines' wheels are made for: all that is assumed of a machine.
_PYTHONS = ("3.10", "3.11", "3.12", "3.13")
_MACHINES = ("x86_64", "aarch64")


@lru_cache(maxsize=4096)
def marker_truth(text: str) -> Truth:
    """YES or NO where it comes out alike for every common Python and machine on Linux; UNKNOWN otherwise,
    where an extra must be asked for, and for text that is no marker."""
    from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName  # only where there is one

    try:
        marker = Marker(text)
        found = {marker.evaluate(environment) for environment in _environments()}
    except (InvalidMarker, UndefinedEnvironmentName, ValueError, RecursionError):
        return Truth.UNKNOWN
    if "extra" in text and True not in found:
        return Truth.UNKNOWN  # somebody may have asked for it
    return Truth.UNKNOWN if len(found) > 1 else Truth.of(found.pop())


def any_marker(texts: Iterable[str]) -> Truth:
    """Whether one of several holds."""
    found = [marker_truth(text) for text in texts]
    if Truth.YES in found:
        return Truth.YES
    return Truth.UNKNOWN if Truth.UNKNOWN in found else Truth.NO


def _environments() -> Iterator[dict[str, str]]:
    for python, machine in product(_PYTHONS, _MACHINES):
        yield {
            "implementation_name": "cpython",
            "implementation_version": f"{python}.0",
            "os_name": "posix",
            "platform_machine": machine,
            "platform_python_implementation": "CPython",
            "platform_release": "",
            "platform_system": "Linux",
            "platform_version": "",
            "python_full_version": f"{python}.0",
            "python_version": python,
            "sys_platform": "linux",
            "extra": "",
        }

"""One requirement as files and commands write it: `vllm[audio]==0.19.1 ; python_version < "3.14"`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpu_gotchas.doctor.markers import marker_truth
from gpu_gotchas.hardware.truth import Truth

_NAME = r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)"
_REQUIREMENT = re.compile(
    rf"{_NAME} *(?:\[[^\]]{{0,200}}\])? *(\(?(?:===?|~=|!=|[<>]=?)[^;#@]*)?(@ *\S+)? *(?:;([^#]*))?(?: *#.*)?"
)
_EXACT = re.compile(r"===? *([0-9][^\s;,#\\*]*)")
_WHEEL = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9_.]*)-([0-9][^-/\s]*)(?:-[0-9][^-]*)?-[^-/\s]+-[^-/\s]+-[^-/\s]+\.whl"
)
_CONDA = re.compile(rf"(?:[\w.-]+::)?{_NAME} *={{1,2}} *([0-9][0-9A-Za-z.+!_]*)(\.?\*)?(?:=\S*)?")
_LONGEST = 2000
# In the place of a range, for what is built from a source: no release that is there will do.
SOURCE = "@"


@dataclass(frozen=True, slots=True)
class Pin:
    """version: where it is exact. specifier: the range otherwise. holds: what the marker comes to."""

    name: str
    version: str | None = None
    specifier: str = ""
    holds: Truth = Truth.YES


def pin_of(text: str, *, conda: bool = False) -> Pin | None:
    """A requirement, the address of a wheel, or, for `conda`, its own form `pytorch=2.8`; None for other
    text."""
    line = text.strip()[:_LONGEST].rstrip("\\").strip()
    if conda and (match := _CONDA.fullmatch(line)):
        # One equals sign takes every release that begins so.
        exact = "==" in line or match[2].count(".") >= 2
        return Pin(match[1], f"{match[2]}.x" if match[3] or not exact else match[2])
    wheel = _WHEEL.search(line)
    if wheel is not None:
        return Pin(wheel[1], wheel[2].replace("%2B", "+").replace("%2b", "+"))
    match = _REQUIREMENT.fullmatch(re.sub(r" --(?:hash|config-settings)[= ].*", "", line))
    if match is None:
        return None
    specifier, marker = (match[2] or "").strip(" ()"), match[4]
    exact_ = _EXACT.fullmatch(specifier)
    holds = marker_truth(marker.strip().rstrip("\\").strip()) if marker and marker.strip() else Truth.YES
    return Pin(match[1], exact_[1] if exact_ else None, SOURCE if match[3] else specifier, holds)

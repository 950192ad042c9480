"""Versions as reports write them, with words around."""

from __future__ import annotations

import re

_FIRST = re.compile(r"v?([0-9]+(?:\.[0-9]+)+(?:[0-9A-Za-z.+!_-]{0,48}))")
_SHORT = re.compile(r"([0-9]+)\.([0-9]+)")
_TOOLS = re.compile(r"release ([0-9]+\.[0-9]+), V([0-9]+(?:\.[0-9]+)+)")


def first_version(text: str | None) -> str | None:
    """The version that a text begins with: `3.12.3 (main, Feb 4 …)`."""
    match = _FIRST.match(text.strip()) if text else None
    return match[1] if match else None


def short_version(text: str | None) -> str | None:
    """Its first two numbers: `7.2.26015-fc0010cf6a` is ROCm 7.2."""
    match = _SHORT.match(text.strip()) if text else None
    return f"{match[1]}.{match[2]}" if match else None


def tool_versions(text: str | None) -> dict[str, str | None]:
    """`cuda-toolkit` and `ptxas` from `release 12.8, V12.8.93`, or from `12.8.93` alone."""
    match = _TOOLS.search(text) if text else None
    if match:
        return {"cuda-toolkit": match[1], "ptxas": match[2]}
    plain, short = first_version(text), short_version(text)
    if plain is None or short is None:
        return {}
    return {"cuda-toolkit": short, "ptxas": plain} if plain.count(".") >= 2 else {"cuda-toolkit": short}

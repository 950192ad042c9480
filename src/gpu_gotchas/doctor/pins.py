"""What a release brings with it: vLLM pins torch, and torch pins Triton.

The table, `data/pins.json`, holds the exact `Requires-Dist` of published Linux wheels. Where torch asks for a
compatible Triton (`~=3.8.0`), the first such release stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from gpu_gotchas.hardware.versions import equal_form


def pinned(software: Mapping[str, str | None]) -> dict[str, str]:
    """Versions of packages that `software` says nothing of, from those that it names: 0.19 brings what 0.19.0
    does. A build of one's own (`0.33.0+fork`) pins nothing that is known."""
    found: dict[str, str] = {}
    named = list(software)
    while named:
        package = named.pop()
        version = software.get(package, found.get(package))
        for name, pin in _by_form(package).get(equal_form(version or ""), {}).items():
            if name not in software and name not in found:
                found[name] = pin
                named.append(name)
    return found


@cache
def _by_form(package: str) -> Mapping[str, Mapping[str, str]]:
    return {equal_form(version): brought for version, brought in _pins().get(package, {}).items()}


@cache
def _pins() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    text = (Path(__file__).parent / "data" / "pins.json").read_text(encoding="utf-8")
    pins: Mapping[str, Mapping[str, Mapping[str, str]]] = json.loads(text)
    return pins

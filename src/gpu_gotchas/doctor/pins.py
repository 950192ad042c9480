"""What a release brings with it: vLLM pins torch, and torch pins Triton.

The table, `data/pins.json`, holds the exact `Requires-Dist` of published Linux wheels. Where torch asks for a
compatible Triton (`~=3.8.0`), the first such release stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path


def pinned(software: Mapping[str, str | None]) -> dict[str, str]:
    """Versions of packages that `software` says nothing of, from those that it names; a build of one's own
    (`0.33.0+fork`) pins nothing that is known."""
    found: dict[str, str] = {}
    named = list(software)
    while named:
        package = named.pop()
        version = software.get(package, found.get(package))
        for name, pin in _pins().get(package, {}).get(version or "", {}).items():
            if name not in software and name not in found:
                found[name] = pin
                named.append(name)
    return found


@cache
def _pins() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    text = (Path(__file__).parent / "data" / "pins.json").read_text(encoding="utf-8")
    pins: Mapping[str, Mapping[str, Mapping[str, str]]] = json.loads(text)
    return pins

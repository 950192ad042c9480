"""Cards from the names that reports print."""

from __future__ import annotations

import re

from gpu_gotchas.hardware.catalogue import other_named
from gpu_gotchas.hardware.detect.finding import card
from gpu_gotchas.hardware.machine import Card
from gpu_gotchas.hardware.targets import Vendor

MAX_CARDS = 1024

_GFX = re.compile(r"\((gfx[0-9a-f]{3,4})(?::[^)]*)?\)")
_INTEL = re.compile(r"(?i)^intel\b")
_AMD = re.compile(r"(?i)\b(?:amd|radeon|instinct|mi[0-9]{3})")


def card_named(
    name: str, memory: int | None = None, mig: bool | None = None, target: str | None = None
) -> Card | None:
    """A card as torch or a driver names it, `AMD Radeon RX 7900 XTX (gfx1100)` included; None for no name."""
    gfx = _GFX.search(name)
    plain = _GFX.sub("", name).strip() if gfx else name.strip()
    if not plain or len(plain) > 120 or not plain.isprintable():
        return None
    if _INTEL.match(plain):
        other = other_named(plain)
        return Card(plain, None, other.id if other else None, memory, Vendor.INTEL)
    if gfx or (target or "").startswith("gfx") or _AMD.search(plain):
        return card(Vendor.AMD, plain, gfx[1] if gfx else target, memory)
    return card(Vendor.NVIDIA, plain, target, memory, mig)

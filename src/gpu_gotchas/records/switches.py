"""How a fix that changes an installed package is switched on."""

from __future__ import annotations

PATCHES = "gpu_gotchas.upstream.patches."
"""What lies below it changes an installed package, and is switched on."""


def switched_on(patch: str) -> str:
    """The variable that switches a patch on. patch: its module, which is called as its record is."""
    return f"GPU_GOTCHAS_FIXES={patch.rpartition('.')[2].replace('_', '-')}"

"""Targets: what code is compiled for, with the limits that a launch is checked against."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

KIB = 1024


class Vendor(Enum):
    NVIDIA = "nvidia"
    AMD = "amd"
    INTEL = "intel"


@dataclass(frozen=True, slots=True)
class Target:
    """One compilation target.

    name: `sm_86` or `gfx942`. capability: (major, minor) on NVIDIA, None elsewhere.
    warp_size: threads. shared_default, shared_optin: bytes of shared memory (LDS on AMD) that one block
    gets without asking, and at most. source: URL of the vendor's table.
    """

    name: str
    vendor: Vendor
    capability: tuple[int, int] | None
    warp_size: int
    shared_default: int
    shared_optin: int
    source: str

    @property
    def family(self) -> str:
        """What neighbours share: the major capability on NVIDIA (`sm_8x`), generation on AMD (`gfx11`)."""
        if self.capability is not None:
            return f"sm_{self.capability[0]}x"
        match = re.fullmatch(r"(gfx\d+?)[0-9a-f]{2}", self.name)
        return match.group(1) if match else self.name


def format_capability(capability: tuple[int, int]) -> str:
    """(8, 6) as `8.6`, the way NVIDIA and torch write it."""
    return f"{capability[0]}.{capability[1]}"


def nvidia_target_name(capability: tuple[int, int]) -> str:
    """(8, 6) as `sm_86`."""
    return f"sm_{capability[0]}{capability[1]}"

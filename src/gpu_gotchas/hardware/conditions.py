"""Conditions that a record puts on hardware and versions, and how they come out on a machine.

Every question is answered by a `Truth`: what is not known of a machine makes the answer UNKNOWN, and
learning it can only turn UNKNOWN into YES or NO.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpu_gotchas.hardware.targets import Vendor


@dataclass(frozen=True, slots=True)
class CapabilityRange:
    """A range of NVIDIA compute capabilities such as `>=8.9,<9.0`. Bounds are (major, minor)."""

    text: str
    clauses: tuple[tuple[str, tuple[int, int]], ...]


@dataclass(frozen=True, slots=True)
class NumberRange:
    """A range of whole numbers such as `<=101376`; what is counted is said where it is used."""

    text: str
    clauses: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class VendorCondition:
    """Which targets of one vendor: capability ranges (NVIDIA), target names (AMD), or all when both are empty."""

    capabilities: tuple[CapabilityRange, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HardwareCondition:
    """vendors: None for any hardware. The rest are properties of a card, None when not asked for.

    shared_memory: bytes of opt-in shared memory per block. memory: GiB on the card.
    count: GPUs in the machine. p2p: whether they reach each other's memory.
    """

    vendors: Mapping[Vendor, VendorCondition] | None = None
    shared_memory: NumberRange | None = None
    memory: NumberRange | None = None
    count: NumberRange | None = None
    p2p: bool | None = None


@dataclass(frozen=True, slots=True)
class VersionRange:
    """Releases from `introduced` (None: from the first) to before `fixed` or through `last_bad`.

    At most one of `fixed` and `last_bad` is given. After `last_bad` nothing is known.
    measured: whether a run over releases found the ends, or they are only believed.
    """

    introduced: str | None = None
    fixed: str | None = None
    last_bad: str | None = None
    measured: bool = False

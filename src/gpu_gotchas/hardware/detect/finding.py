"""What one source says about this machine, and cards built the same way whichever source saw them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpu_gotchas.hardware.catalogue import (
    UnknownName,
    find_target,
    gpu_by_driver_name,
    target_by_driver_name,
)
from gpu_gotchas.hardware.machine import Card, Unknown
from gpu_gotchas.hardware.targets import Target, Vendor

NVIDIA_GPUS = "NVIDIA GPUs"
AMD_GPUS = "AMD GPUs"


@dataclass(frozen=True, slots=True)
class Finding:
    """cards: those of the source's vendor, None when the source cannot tell. Rest as in Machine."""

    cards: tuple[Card, ...] | None = None
    software: Mapping[str, str | None] = field(default_factory=dict)
    p2p: bool | None = None
    unknown: tuple[Unknown, ...] = ()


def nothing(what: str, because: str) -> Finding:
    """A source that could not tell, and why."""
    return Finding(unknown=(Unknown(what, because),))


def card(
    vendor: Vendor, name: str, target_name: str | None, memory: int | None, mig: bool | None = None
) -> Card:
    """A card as its driver reports it; memory in bytes. A target that is not given follows from the name."""
    target = target_by_driver_name(name) if target_name is None else _target(target_name)
    gpu = gpu_by_driver_name(name, memory)
    # A name alone must not overrule what the driver says that the card runs.
    id = gpu.id if gpu is not None and gpu.target == target else None
    return Card(name, target, id, memory, vendor, mig)


def _target(name: str) -> Target | None:
    try:
        return find_target(name)
    except UnknownName:
        return None

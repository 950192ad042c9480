"""A GPU as the catalogue describes it, and how a measured amount of memory maps to a size on the box."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpu_gotchas.hardware.targets import Target, Vendor

GIB = 1024**3

# Drivers, ECC and firmware take their share: an L40S sold with 48 GB reports 44.99 GiB, a B300 93 % of 288.
_REPORTED_AT_LEAST = 0.9


@dataclass(frozen=True, slots=True)
class Gpu:
    """One model of the catalogue, as one device that the driver counts (each half of an MI250X is one).

    id: kebab-case with the vendor in front. name: as the driver reports it; also: other names it has been
    reported under. memory: GiB as sold, one for each variant; () where it shares the system's memory.
    multiprocessors: SMs on NVIDIA, compute units on AMD, None where no source says. source: URL where the
    figures can be checked.
    """

    id: str
    vendor: Vendor
    name: str
    also: tuple[str, ...]
    target: Target
    memory: tuple[int, ...]
    multiprocessors: int | None
    source: str

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that a driver has reported it under."""
        return (self.name, *self.also)


@dataclass(frozen=True, slots=True)
class OtherGpu:
    """A model that is known, and of which nothing is claimed yet: no target, no limits. Fields as in Gpu."""

    id: str
    vendor: Vendor
    name: str
    source: str


def plain_name(name: str) -> str:
    """A driver's name without what differs between drivers: case, trademarks, spacing, the vendor in front.

    Drivers before 470 say `GeForce RTX 3090`, later ones `NVIDIA GeForce RTX 3090`.
    """
    words = re.sub(r"\((?:tm|r|c)\)", " ", name.casefold()).split()
    if len(words) > 1 and words[0] in ("nvidia", "amd", "intel"):
        words = words[1:]
    return " ".join(words)


def sizes_as_sold(memory: int) -> range:
    """The sizes in GiB that a card may be sold with when its driver reports `memory` bytes."""
    gib = memory / GIB
    low = max(1, round(gib))
    return range(low, max(low, int(gib / _REPORTED_AT_LEAST)) + 1)


def size_as_sold(gpu: Gpu, memory: int) -> int:
    """The variant of `gpu` in GiB whose driver reports `memory` bytes.

    Where no variant fits (cards do get modified) it is what was measured, rounded.
    """
    possible = sizes_as_sold(memory)
    return min((size for size in gpu.memory if size in possible), default=possible[0])

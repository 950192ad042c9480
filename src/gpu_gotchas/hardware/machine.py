"""What a machine is, as far as it is known: cards, software, platform, settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpu_gotchas.hardware.targets import Target, Vendor


@dataclass(frozen=True, slots=True)
class Card:
    """One GPU of a machine.

    name: as the driver reports it. target: None when the card is in no table of ours.
    gpu: its id in the catalogue, or None. memory: bytes, or None when unknown.
    vendor: where it is known without a target; with a target, the target says it.
    mig: whether it is divided into instances; memory is then that of the whole card.
    """

    name: str
    target: Target | None
    gpu: str | None = None
    memory: int | None = None
    vendor: Vendor | None = None
    mig: bool | None = None


@dataclass(frozen=True, slots=True)
class Host:
    """What lies beside the GPUs, in bytes; None where unknown, or where there is no limit.

    memory: of the whole host. memory_limit: what a container may use of it. shared_memory: of /dev/shm.
    """

    memory: int | None = None
    memory_limit: int | None = None
    shared_memory: int | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that could not be found out, and why."""

    what: str
    because: str


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that was looked at or described. What is absent is unknown, never "no".

    cards: None when nothing is known of its GPUs, () when it has none.
    software: package or component to version; a value of None says that it is known not to be there.
    platform: names such as `linux`, `wsl2`, `container` to whether they hold.
    settings: names of schema/settings.yaml to the value in force.
    p2p: whether its cards reach each other's memory.
    described: read from a file or a command line, so that no device tier may run on its word.
    unknown: parts that could not be found out, with the reason.
    host: what lies beside the GPUs.
    count_known: False where cards of its kind are there, and how many of them is not known.
    """

    cards: tuple[Card, ...] | None = None
    software: Mapping[str, str | None] = field(default_factory=dict)
    platform: Mapping[str, bool] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    p2p: bool | None = None
    described: bool = False
    unknown: tuple[Unknown, ...] = ()
    host: Host = Host()
    count_known: bool = True

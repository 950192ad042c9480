"""Conditions that a record puts on hardware and versions, and how they come out on a machine.

Every question is answered by a `Truth`: what is not known of a machine makes the answer UNKNOWN, and
learning it can only turn UNKNOWN into YES or NO.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpu_gotchas.hardware.gpus import size_as_sold, sizes_as_sold
from gpu_gotchas.hardware.machine import Card, Machine
from gpu_gotchas.hardware.ranges import CapabilityRange, NumberRange
from gpu_gotchas.hardware.targets import Target, Vendor
from gpu_gotchas.hardware.truth import Truth, every, some
from gpu_gotchas.hardware.versions import VersionRange, software_holds

__all__ = [
    "CapabilityRange",
    "HardwareCondition",
    "NumberRange",
    "VendorCondition",
    "VersionRange",
    "software_holds",
]


@dataclass(frozen=True, slots=True)
class VendorCondition:
    """Which targets of one vendor: capability ranges (NVIDIA), names (AMD), or all when both are empty."""

    capabilities: tuple[CapabilityRange, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        """Whether every target of the vendor is meant."""
        return not self.capabilities and not self.names

    def includes(self, target: Target) -> bool:
        """Whether a target of this vendor is meant."""
        if self.any or target.name in self.names:
            return True
        capability = target.capability
        return capability is not None and any_contains(self.capabilities, capability)


@dataclass(frozen=True, slots=True)
class HardwareCondition:
    """vendors: None for any hardware. The rest are properties of a card, None when not asked for.

    shared_memory: bytes of opt-in shared memory per block. memory: GiB on the card, as it is sold.
    count: GPUs in the machine. p2p: whether they reach each other's memory.
    A vendor that is not mentioned is not claimed: NO.
    """

    vendors: Mapping[Vendor, VendorCondition] | None = None
    shared_memory: NumberRange | None = None
    memory: NumberRange | None = None
    count: NumberRange | None = None
    p2p: bool | None = None

    def on_target(self, target: Target) -> Truth:
        """Whether code compiled for `target` is meant: YES or NO.

        Vendors and shared memory decide. Memory, count and p2p are no properties of a target: not asked.
        """
        return every((self._vendor(target, target.vendor), self._shared_memory(target)))

    def on_machine(self, machine: Machine) -> Truth:
        """Whether some card of the machine is meant, and count and p2p are as asked for.

        A condition that asks nothing of a card holds on every machine, also on one without cards.
        """
        return every(self._parts(machine))

    def on_card(self, card: Card) -> Truth:
        """Whether this card is meant; count and p2p are not asked."""
        vendor = card.vendor if card.target is None else card.target.vendor
        return every(
            (self._vendor(card.target, vendor), self._shared_memory(card.target), self._memory(card))
        )

    def _parts(self, machine: Machine) -> Iterator[Truth]:
        cards = machine.cards
        if self.vendors is not None or self.shared_memory is not None or self.memory is not None:
            yield Truth.UNKNOWN if cards is None else some(self.on_card(card) for card in cards)
        if self.count is not None:
            known = cards is not None and machine.count_known
            yield Truth.of(self.count.contains(len(cards or ()))) if known else Truth.UNKNOWN
        if self.p2p is not None:
            yield Truth.UNKNOWN if machine.p2p is None else Truth.of(machine.p2p is self.p2p)

    def _vendor(self, target: Target | None, vendor: Vendor | None) -> Truth:
        if self.vendors is None:
            return Truth.YES
        if vendor is None:
            return Truth.UNKNOWN
        condition = self.vendors.get(vendor)
        if condition is None:
            return Truth.NO
        if condition.any:
            return Truth.YES
        return Truth.UNKNOWN if target is None else Truth.of(condition.includes(target))

    def _shared_memory(self, target: Target | None) -> Truth:
        if self.shared_memory is None:
            return Truth.YES
        return Truth.UNKNOWN if target is None else Truth.of(self.shared_memory.contains(target.shared_optin))

    def _memory(self, card: Card) -> Truth:
        """Memory is compared as cards are sold, since a 24 GB card may report 23.99 GiB, or 22."""
        if self.memory is None:
            return Truth.YES
        if card.memory is None:
            return Truth.UNKNOWN
        answers = {self.memory.contains(size) for size in _sizes(card, card.memory)}
        return Truth.UNKNOWN if len(answers) > 1 else Truth.of(answers.pop())


def any_contains(ranges: tuple[CapabilityRange, ...], capability: tuple[int, int]) -> bool:
    """Whether (major, minor) lies in one of the ranges."""
    return any(range_.contains(capability) for range_ in ranges)


def _sizes(card: Card, memory: int) -> range | tuple[int, ...]:
    if card.gpu is None:
        return sizes_as_sold(memory)
    from gpu_gotchas.hardware.catalogue import (
        UnknownName,
        find_gpu,
    )  # reads files: only where memory is asked

    try:
        return (size_as_sold(find_gpu(card.gpu), memory),)
    except UnknownName:
        return sizes_as_sold(memory)

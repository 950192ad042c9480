"""CUDA_VISIBLE_DEVICES and its likes: drivers list every card, a server sees those that are named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from gpu_gotchas.hardware.machine import Card, Machine, Unknown
from gpu_gotchas.hardware.targets import Vendor

_VARIABLES = {
    Vendor.NVIDIA: ("CUDA_VISIBLE_DEVICES",),
    Vendor.AMD: ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"),
}
# What a container's runtime hands in, counted by bus.
_GIVEN = "NVIDIA_VISIBLE_DEVICES"
_ALL = ("all", "void")
MAX_NAMED = 1024
MAX_VALUE = 40_000
_CARD_UUID, _SLICE_UUID = "GPU-", "MIG-"


def names_uuids(value: str) -> bool:
    """Whether a list of devices names one by its UUID, whole cards or slices of them."""
    return any(part.strip().startswith((_CARD_UUID, _SLICE_UUID)) for part in value.split(","))


def only_visible(machine: Machine, environ: Mapping[str, str]) -> Machine:
    """The machine with the cards that the variables leave; unknown where their order cannot be told.

    CUDA counts the fastest card first unless CUDA_DEVICE_ORDER says PCI_BUS_ID; drivers count by bus. Where
    all cards are alike, that makes no difference.
    """
    cards = machine.cards
    vendors = {card.vendor for card in cards or ()}
    if not cards or len(vendors) != 1:
        return machine
    vendor = vendors.pop()
    given = environ.get(_GIVEN, "").strip()
    if given and given not in _ALL:
        machine = _seen(machine, _GIVEN, given, by_bus=True)
        cards = machine.cards
        if not cards:
            return machine
    name = next((one for one in _VARIABLES.get(vendor or Vendor.INTEL, ()) if one in environ), None)
    if name is None:
        return machine
    by_bus = vendor is Vendor.AMD or environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
    return _seen(machine, name, environ[name], by_bus=by_bus)


def _seen(machine: Machine, name: str, value: str, *, by_bus: bool) -> Machine:
    cards = machine.cards or ()
    if names_uuids(value):
        return _by_uuid(machine, name, value)
    if not machine.count_known and len(set(cards)) == 1:
        # Those that are named may be there; how many there are stays unknown.
        highest = max((int(one) for one in re.findall(r"[0-9]+", value[:4000])), default=0)
        cards = cards[:1] * min(MAX_NAMED, highest + 1)
    left = _left(cards, value)
    if left is None or (len(set(cards)) > 1 and left and not by_bus):
        why = "its value names no numbers" if left is None else "cards differ, and their order is not by bus"
        reason = Unknown(f"GPUs that {name} leaves", why)
        return replace(machine, cards=None, unknown=(*machine.unknown, reason))
    return replace(machine, cards=left, p2p=machine.p2p if len(left) > 1 else None)


def _by_uuid(machine: Machine, name: str, value: str) -> Machine:
    """Which card has which UUID is not known. Where all are alike, or all are named, that does not matter."""
    cards = machine.cards or ()
    parts = list(dict.fromkeys(part.strip() for part in value[:MAX_VALUE].split(",")))
    whole = all(part.startswith(_CARD_UUID) for part in parts)
    alike = len(set(cards)) == 1
    if whole and alike and not machine.count_known:
        left = cards[:1] * min(MAX_NAMED, len(parts))
    elif whole and (alike or len(parts) >= len(cards)):
        left = cards[: len(parts)]
    elif len(parts) == 1 and parts[0].startswith(_SLICE_UUID) and alike:
        left = (replace(cards[0], mig=True),)
    else:
        reason = Unknown(f"GPUs that {name} leaves", "which card has which UUID is not known")
        return replace(machine, cards=None, unknown=(*machine.unknown, reason))
    return replace(machine, cards=left, p2p=machine.p2p if len(left) > 1 else None)


def _left(cards: tuple[Card, ...], value: str) -> tuple[Card, ...] | None:
    """As CUDA reads it: up to the first number that no card has; None for other names."""
    left: list[Card] = []
    for part in value.split(",") if value.strip() else ():
        text = part.strip()
        if text in ("-1", "none"):
            break
        if not (text.isascii() and text.isdigit()):
            return None
        if int(text[:6]) >= len(cards):
            break
        left.append(cards[int(text[:6])])
    return tuple(left)

"""CUDA_VISIBLE_DEVICES as numbers, for programs that cannot read it as CUDA does.

CUDA takes a list of numbers or of UUIDs, which may be cut short as long as they name one card. Kubernetes and
cluster managers write UUIDs. What is read here follows the CUDA programming guide on environment variables:
the list ends before the first entry that names no card.
"""

from __future__ import annotations

from collections.abc import Sequence


def as_indices(visible: str, uuids: Sequence[str]) -> str:
    """`visible` with every UUID replaced by the number of its card, `"0,2"`.

    uuids: the machine's cards in the order of their numbers under CUDA_DEVICE_ORDER=PCI_BUS_ID, as
    `nvidia-smi --query-gpu=uuid --format=csv,noheader` prints them. Raises ValueError for a MIG slice, which
    has no number, and where an entry begins the UUIDs of several cards.
    """
    indices: list[str] = []
    for entry in (part.strip() for part in visible.split(",")):
        if entry.startswith("MIG-"):
            raise ValueError(f"{entry!r} is a slice of a card and has no number: only its UUID names it")
        index = int(entry) if entry.isdecimal() else _index(entry, uuids)
        if not 0 <= index < len(uuids):
            break
        indices.append(str(index))
    return ",".join(indices)


def _index(entry: str, uuids: Sequence[str]) -> int:
    """The number of the card whose UUID begins with `entry`, -1 where there is none."""
    named = [number for number, uuid in enumerate(uuids) if entry and uuid.startswith(entry)]
    if len(named) > 1:
        raise ValueError(f"{entry!r} names {len(named)} cards: give more of the UUID")
    return named[0] if named else -1

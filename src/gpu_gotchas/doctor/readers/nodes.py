"""Which nodes a Kubernetes manifest asks for, as far as that says which card a server gets.

Read are the labels of the vendors' feature discovery (`nvidia.com/gpu.product`), of GKE's accelerators and of
instance types, in `nodeSelector` and in required node affinities. Any other one is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from gpu_gotchas.doctor.asked import machine_as
from gpu_gotchas.doctor.readers.named_cards import named_cards
from gpu_gotchas.doctor.readers.nested import mappings
from gpu_gotchas.hardware.catalogue import UnknownName
from gpu_gotchas.hardware.machine import Card

_PRODUCTS = (
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "cloud.google.com/gke-accelerator",
    "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/instance-type",
)
# What tells nodes apart and no cards.
_OTHER_THINGS = ("kubernetes.io/os", "kubernetes.io/arch", "kubernetes.io/hostname")
_TOPOLOGY = "topology.kubernetes.io/"
_MOST_NOTES = 8


def selected(document: Any) -> Iterator[tuple[str, str]]:
    """Label and value of each node that is asked for, wherever it lies."""
    for part in mappings(document):
        yield from _selector(part.get("nodeSelector"))
        yield from _affinity(part.get("requiredDuringSchedulingIgnoredDuringExecution"))


def cards_of(nodes: Sequence[tuple[str, str]]) -> tuple[tuple[Card, ...] | None, tuple[str, ...]]:
    """The card that all of them come to, None where they name none or several; and what is not read."""
    telling = [one for one in nodes if one[0] not in _OTHER_THINGS and not one[0].startswith(_TOPOLOGY)]
    products = {value: _card(value) for label, value in telling if label in _PRODUCTS}
    found = {card for card in products.values() if card is not None}
    notes = [
        f"not read: which nodes have {label}: {value}; give the card with --as"
        for label, value in dict.fromkeys(telling)
        if products.get(value) is None and not (found and label in _PRODUCTS)
    ]
    if len(found) > 1:
        names = ", ".join(sorted(card.name for card in found))
        notes.append(f"the manifest asks for different cards ({names}): give the one that is meant with --as")
    return (tuple(found) if len(found) == 1 else None), tuple(notes[:_MOST_NOTES])


def _selector(value: Any) -> Iterator[tuple[str, str]]:
    for label, wanted in value.items() if isinstance(value, dict) else ():
        if isinstance(label, str) and isinstance(wanted, (str, int, bool)):
            yield label[:200], str(wanted)[:200]


def _affinity(value: Any) -> Iterator[tuple[str, str]]:
    terms = value.get("nodeSelectorTerms") if isinstance(value, dict) else None
    for term in terms if isinstance(terms, list) else ():
        expressions = term.get("matchExpressions") if isinstance(term, dict) else None
        for one in expressions if isinstance(expressions, list) else ():
            values = one.get("values") if isinstance(one, dict) and one.get("operator") == "In" else None
            for wanted in values if isinstance(values, list) else ():
                yield from _selector({one.get("key"): wanted})


def _card(value: str) -> Card | None:
    """`NVIDIA-A100-SXM4-80GB`, `nvidia-l4`, `nvidia-tesla-t4`, `g5.xlarge`; a share of one is the card."""
    plain, part, _ = value.removesuffix("-SHARED").partition("-MIG-")
    card = _called(plain)
    if card is None or card.target is None:
        return None
    return replace(card, memory=None, mig=True) if part else card


def _called(name: str) -> Card | None:
    short = name.removeprefix("nvidia-").removeprefix("tesla-")
    for spelt in (name, name.replace("-", " ").replace("_", " "), short):
        try:
            return (machine_as(spelt).cards or (None,))[0]
        except (UnknownName, ValueError):
            continue
    cards, _ = named_cards(name.replace("_", " "))
    return cards[0] if cards else None

"""Machines, cards and conditions for property tests."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from gpu_gotchas.hardware.catalogue import find_target, gpus, targets
from gpu_gotchas.hardware.conditions import (
    CapabilityRange,
    HardwareCondition,
    NumberRange,
    VendorCondition,
    VersionRange,
)
from gpu_gotchas.hardware.gpus import GIB
from gpu_gotchas.hardware.machine import Card, Machine
from gpu_gotchas.hardware.targets import Vendor, format_capability

PACKAGES = ("vllm", "torch", "triton")
CAPABILITIES = tuple(target.capability for target in targets() if target.capability)
AMD_NAMES = tuple(target.name for target in targets() if target.vendor is Vendor.AMD)
RELEASES = ("0.9.0", "0.10.0", "0.10.1", "0.10.2.post1", "0.11.0", "0.20.0", "1.0.0", "1.1.0")
BUILDS = (
    *RELEASES,
    "0.10.0rc1",
    "0.10.1.dev5+gabc1234",
    "0.11.0+cu126",
    "0.20.0+fork",
    "1.0.0a0+nv25.3",
    "2.0.0",
    "mystery",
)


@st.composite
def cards(draw: st.DrawFn) -> Card:
    """A card of which everything is known, measured anywhere from a fraction to all of what is sold."""
    gpu = draw(st.sampled_from(gpus()))
    if gpu.memory and draw(st.booleans()):
        sold = draw(st.sampled_from(gpu.memory))
        memory = round(sold * GIB * draw(st.floats(0.85, 1.001)))
    else:
        memory = draw(st.integers(GIB, 300 * GIB))
    return Card(gpu.name, gpu.target, gpu.id, memory, gpu.vendor)


def machines() -> st.SearchStrategy[Machine]:
    """Machines of which everything is known."""
    versions = st.fixed_dictionaries({name: st.none() | st.sampled_from(BUILDS) for name in PACKAGES})
    return st.builds(
        Machine,
        cards=st.lists(cards(), max_size=3).map(tuple),
        software=versions,
        p2p=st.booleans(),
    )


@st.composite
def less_known(draw: st.DrawFn, machine: Machine) -> Machine:
    """The same machine with some of what is known of it forgotten."""
    found = machine.cards
    if found is not None:
        found = tuple(_forget(draw, card) for card in found)
    software = {name: version for name, version in machine.software.items() if draw(st.booleans())}
    return replace(
        machine,
        cards=draw(st.sampled_from((found, None))),
        software=software,
        p2p=draw(st.sampled_from((machine.p2p, None))),
    )


def _forget(draw: st.DrawFn, card: Card) -> Card:
    if draw(st.booleans()):
        card = replace(card, target=None, vendor=draw(st.sampled_from((card.vendor, None))))
    if draw(st.booleans()):
        card = replace(card, gpu=None)
    if draw(st.booleans()):
        card = replace(card, memory=None)
    return card


@st.composite
def capability_ranges(draw: st.DrawFn) -> CapabilityRange:
    low, high = sorted(draw(st.lists(st.sampled_from(CAPABILITIES), min_size=2, max_size=2)))
    text = draw(
        st.sampled_from(
            (
                f">={format_capability(low)}",
                f"<{format_capability(high)}",
                f"=={format_capability(low)}",
                f">={format_capability(low)},<={format_capability(high)}",
            )
        )
    )
    return CapabilityRange.parse(text)


def number_ranges(most: int) -> st.SearchStrategy[NumberRange]:
    signs = st.sampled_from((">=", "<=", "=="))
    return st.builds(lambda sign, n: NumberRange.parse(f"{sign}{n}"), signs, st.integers(1, most))


def hardware_conditions() -> st.SearchStrategy[HardwareCondition]:
    nvidia = st.builds(VendorCondition, capabilities=st.lists(capability_ranges(), max_size=2).map(tuple))
    amd = st.builds(
        VendorCondition, names=st.lists(st.sampled_from(AMD_NAMES), max_size=3, unique=True).map(tuple)
    )
    vendors = st.fixed_dictionaries({}, optional={Vendor.NVIDIA: nvidia, Vendor.AMD: amd})
    optins = sorted({find_target(target.name).shared_optin for target in targets()})
    shared = st.builds(lambda n: NumberRange.parse(f"<={n}"), st.sampled_from(optins))
    parts = {
        "vendors": vendors,
        "shared_memory": shared,
        "memory": number_ranges(300),
        "count": number_ranges(4),
        "p2p": st.booleans(),
    }
    # Conditions that ask for little hold often, and only one that holds can be flipped to "no".
    few = st.lists(st.sampled_from(list(parts)), unique=True, max_size=2)
    return few.flatmap(lambda names: st.builds(HardwareCondition, **{name: parts[name] for name in names}))


@st.composite
def version_ranges(draw: st.DrawFn) -> VersionRange:
    low, high = sorted(draw(st.lists(st.integers(0, len(RELEASES) - 1), min_size=2, max_size=2, unique=True)))
    introduced = draw(st.sampled_from((None, RELEASES[low])))
    end = draw(st.sampled_from(("fixed", "last_bad", "open")))
    return VersionRange(
        introduced=introduced,
        fixed=RELEASES[high] if end == "fixed" else None,
        last_bad=RELEASES[high] if end == "last_bad" else None,
    )

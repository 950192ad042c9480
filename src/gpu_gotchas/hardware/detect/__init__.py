"""What this machine is, found without importing torch and without opening a CUDA context."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial

from gpu_gotchas.hardware.detect import (
    amd_smi,
    device_nodes,
    host,
    nvidia_smi,
    nvml,
    platform_facts,
    rocm_smi,
    rocminfo,
    software,
    toolkit,
)
from gpu_gotchas.hardware.detect.finding import AMD_GPUS, NVIDIA_GPUS, Finding, nothing
from gpu_gotchas.hardware.detect.parallel import together
from gpu_gotchas.hardware.machine import Card, Host, Machine, Unknown
from gpu_gotchas.hardware.platforms import PLATFORMS

__all__ = ["this_machine"]

Source = Callable[[], Finding]


def this_machine(folders: Sequence[str] | None = None) -> Machine:
    """What can be found out about this machine. What cannot is unknown, never "no". Never raises.

    folders: where packages lie; by default where this Python looks for them.
    """
    platform = platform_facts.facts()
    sources: dict[str, tuple[Source, ...]] = {
        NVIDIA_GPUS: _nvidia_sources(sys.platform),
        AMD_GPUS: _amd_sources(sys.platform),
        "toolkit": (partial(toolkit.find, packages=folders),),
        "packages": (partial(software.find, folders=folders),),
    }
    found = together({what: partial(_ask, what, asked) for what, asked in sources.items()})
    tools, packages = found["toolkit"], found["packages"]
    software_ = Finding(
        software={**tools.software, **packages.software}, unknown=(*packages.unknown, *tools.unknown)
    )
    missing = tuple(
        Unknown(name, "nothing shows whether it is so") for name in PLATFORMS if name not in platform
    )
    return combine(found[NVIDIA_GPUS], found[AMD_GPUS], software_, platform, missing, host.find())


def _ask(what: str, sources: Sequence[Source]) -> Finding:
    if what in (NVIDIA_GPUS, AMD_GPUS):
        return first_that_tells(sources, what)
    try:
        return sources[0]()
    except Exception as error:  # as there: a fault of ours must not hide the rest
        return nothing(what, repr(error))


def first_that_tells(sources: Sequence[Source], what: str) -> Finding:
    """The first finding that knows its vendor's cards, or every source's reason why it does not."""
    reasons = []
    for source in sources:
        try:
            finding = source()
        except Exception as error:  # a fault of ours in one source must not hide the others
            finding = nothing(what, f"{source.__module__}: {error!r}")
        if finding.cards is not None:
            return finding
        reasons += [unknown.because for unknown in finding.unknown]
    return nothing(what, "; ".join(reasons) or "no source for this system")


def combine(
    nvidia: Finding,
    amd: Finding,
    packages: Finding,
    platform: dict[str, bool],
    missing: tuple[Unknown, ...],
    beside: Host | None = None,
) -> Machine:
    """One machine from what each source says. Package metadata goes before what a driver could serve."""
    unknown = [*packages.unknown, *missing]
    cards = _cards(nvidia, amd, platform, unknown)
    return Machine(
        cards=cards,
        software={**nvidia.software, **amd.software, **packages.software},
        platform=platform,
        p2p=nvidia.p2p if not amd.cards else None,
        unknown=tuple(unknown),
        host=beside or Host(),
    )


def _cards(
    nvidia: Finding, amd: Finding, platform: dict[str, bool], unknown: list[Unknown]
) -> tuple[Card, ...] | None:
    """Every card, or None where one vendor's are unknown and may be there.

    Windows and WSL2 show no device node of a vendor's own. There, cards of one vendor that were seen
    answer for the GPU that is known to be there, and the other vendor's are taken as missing.
    """
    seen = (nvidia.cards or ()) + (amd.cards or ())
    shared = platform.get("windows", False) or platform.get("wsl2", False)
    undecided = [finding for finding in (nvidia, amd) if finding.cards is None]
    for finding in undecided:
        unknown += finding.unknown
    if undecided and not (seen and shared):
        return None
    return seen


def _nvidia_sources(system: str) -> tuple[Source, ...]:
    """On Linux a card has a device node: where there is none, no tool need be asked."""
    nodes = _nodes(system, device_nodes.nvidia_nodes)
    return (*nodes, nvml.find, nvidia_smi.find)


def _amd_sources(system: str) -> tuple[Source, ...]:
    tools = (amd_smi.find, rocminfo.find, rocm_smi.find)
    nodes = _nodes(system, device_nodes.amd_nodes)
    if system.startswith("linux") and not device_nodes.amd_possible():
        return nodes
    return (*tools, *nodes)


def _nodes(system: str, nodes: Source) -> tuple[Source, ...]:
    if system.startswith("linux"):
        return (nodes,)
    if system == "darwin":  # neither CUDA nor ROCm has a driver there
        return (lambda: Finding(cards=()),)
    return ()

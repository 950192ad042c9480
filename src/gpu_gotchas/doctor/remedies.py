"""What helps against a gotcha on a machine: which fix is in force, which could be, and how it is used."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from gpu_gotchas.doctor.patches import OURS, asked_for, takes_hold
from gpu_gotchas.doctor.setting_truth import InForce
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.hardware.versions import VersionRange, canonical
from gpu_gotchas.records.model import Fix, FixType, Risk
from gpu_gotchas.records.setting import Setting, ValueKind
from gpu_gotchas.records.switches import PATCHES, switched_on
from gpu_gotchas.records.usage import is_requirement, to_type

_IMPORT = re.compile(r"gpu_gotchas(\.[A-Za-z_][A-Za-z0-9_]*)+")
_ASSIGNED = re.compile(r"(--?[a-z0-9-]+|[A-Z][A-Z0-9_]*)[ =](.+)")


class FixState(Enum):
    """active: one is in force. available: one could be used. none: nothing is known to help."""

    ACTIVE = "active"
    AVAILABLE = "available"
    NONE = "none"


class Way(Enum):
    """How a fix is used: by whoever starts a server, or (an import) by authors of kernels and engines."""

    SETTING = "setting"
    PATCH = "patch"
    UPGRADE = "upgrade"
    IMPORT = "import"


# By way, and whether the risk is low.
_RANKS = {
    (way, low): rank
    for rank, (way, low) in enumerate(
        (
            (Way.SETTING, True),
            (Way.SETTING, False),
            (Way.PATCH, True),
            (Way.UPGRADE, True),
            (Way.UPGRADE, False),
            (Way.PATCH, False),
            (Way.IMPORT, True),
            (Way.IMPORT, False),
        )
    )
}


@dataclass(frozen=True, slots=True)
class Remedy:
    """how: what to type, import or install. active: whether it is seen to be in force here.

    open: of a patch that is asked for, why it is not known to be in force; empty otherwise."""

    fix: Fix
    how: str
    active: bool
    way: Way
    open: str = ""

    @property
    def for_authors(self) -> bool:
        return self.way is Way.IMPORT


def remedies(
    fixes: Sequence[Fix], machine: Machine, in_force: InForce, known: Mapping[str, Setting]
) -> tuple[Remedy, ...]:
    """Each fix of a record that can help here: what can be typed first, and what must be imported last.

    A patch is left out for a release that it was run in and does nothing for. A flag before a patch, which
    comes before an upgrade where its risk is low."""
    found = []
    for fix in fixes:
        way = way_of(fix)
        active, open_ = _active(fix, machine, in_force, known), ""
        if way is Way.PATCH:
            patch = _patch_id(fix)
            held = takes_hold(patch, machine)
            if held is Truth.NO:
                continue
            asked = asked_for(patch, in_force)
            there = machine.software.get(OURS, "") is not None
            active = asked and there and held is Truth.YES
            if asked and not there:
                open_ = f"asked for, and the image has no {OURS}: install it beside vLLM"
            elif asked and not active:
                release = machine.software.get("vllm") or "of a version that is not known"
                open_ = f"asked for, and nobody ran it in vLLM {release}: `gotchas fixes status` tells"
        found.append(Remedy(fix, how(fix, known), active, way, open_))
    return tuple(sorted(found, key=lambda one: _RANKS[one.way, one.fix.risk is Risk.LOW]))


def state(found: Sequence[Remedy]) -> FixState:
    if any(remedy.active for remedy in found):
        return FixState.ACTIVE
    return FixState.AVAILABLE if found else FixState.NONE


def way_of(fix: Fix) -> Way:
    if fix.use.startswith(PATCHES):
        return Way.PATCH
    if _IMPORT.fullmatch(fix.use):
        return Way.IMPORT
    return Way.UPGRADE if is_requirement(fix.use) else Way.SETTING


def how(fix: Fix, known: Mapping[str, Setting] | None = None) -> str:
    """The exact import, requirement, flag or variable. A flag that takes a value and has none here is one to
    leave out."""
    match way_of(fix):
        case Way.PATCH:
            return switched_on(fix.use)
        case Way.IMPORT:
            package, _, name = fix.use.rpartition(".")
            return f"from {package} import {name}"
    flag = next((one for one in (known or {}).values() if one.flag == fix.use), None)
    if flag is not None and flag.kind is not ValueKind.BOOLEAN:
        return f"leave {fix.use} out"
    return to_type(fix.use)


def _patch_id(fix: Fix) -> str:
    return switched_on(fix.use).partition("=")[2]


def _active(fix: Fix, machine: Machine, in_force: InForce, known: Mapping[str, Setting]) -> bool:
    """Whether a requirement is met, or a flag or variable has its value. An import leaves no trace to see."""
    if way_of(fix) in (Way.IMPORT, Way.PATCH):
        return False
    if fix.type is FixType.UPGRADE and is_requirement(fix.use):
        return _met(fix.use, machine)
    assigned = _ASSIGNED.fullmatch(fix.use)
    way, value = assigned.groups() if assigned else (fix.use, None)
    for name, setting in known.items():
        if way in (name, setting.flag, setting.variable, *setting.aliases):
            now = in_force.given.get(name)
            wanted = "true" if value is None else value
            if now is not None and setting.plain(now) == setting.plain(wanted):
                return True
    return False


def _met(requirement: str, machine: Machine) -> bool:
    """Whether a requirement such as `vllm>=0.21.0` is met; upgrades name the first good release."""
    name, _, release = requirement.partition(">=")
    version = machine.software.get(canonical(name.strip()))
    try:
        return version is not None and VersionRange(introduced=release.strip()).holds(version) is Truth.YES
    except ValueError:
        return False

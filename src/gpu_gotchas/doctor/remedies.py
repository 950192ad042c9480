"""What helps against a gotcha on a machine: which fix is in force, which could be, and how it is used."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from gpu_gotchas.doctor.setting_truth import InForce
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.hardware.versions import VersionRange, canonical
from gpu_gotchas.records.model import Fix, FixType
from gpu_gotchas.records.setting import Setting
from gpu_gotchas.records.switches import PATCHES, switched_on
from gpu_gotchas.records.usage import is_requirement, to_type

_IMPORT = re.compile(r"gpu_gotchas(\.[a-z_][a-z0-9_]*)+")
_ASSIGNED = re.compile(r"(--?[a-z0-9-]+|[A-Z][A-Z0-9_]*)[ =](.+)")


class FixState(Enum):
    """active: one is in force. available: one could be used. none: nothing is known to help."""

    ACTIVE = "active"
    AVAILABLE = "available"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Remedy:
    """how: what to type, import or install. active: whether it is seen to be in force here."""

    fix: Fix
    how: str
    active: bool


def remedies(
    fixes: Sequence[Fix], machine: Machine, in_force: InForce, known: Mapping[str, Setting]
) -> tuple[Remedy, ...]:
    """Each fix of a record, in its order."""
    return tuple(Remedy(fix, how(fix), _active(fix, machine, in_force, known)) for fix in fixes)


def state(found: Sequence[Remedy]) -> FixState:
    if any(remedy.active for remedy in found):
        return FixState.ACTIVE
    return FixState.AVAILABLE if found else FixState.NONE


def how(fix: Fix) -> str:
    """The exact import, requirement, flag or variable."""
    if fix.use.startswith(PATCHES):
        return switched_on(fix.use)
    if _IMPORT.fullmatch(fix.use):
        package, _, name = fix.use.rpartition(".")
        return f"from {package} import {name}"
    return to_type(fix.use)


def _active(fix: Fix, machine: Machine, in_force: InForce, known: Mapping[str, Setting]) -> bool:
    """Whether a requirement is met, or a flag or variable has its value. An import leaves no trace to see."""
    if _IMPORT.fullmatch(fix.use):
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

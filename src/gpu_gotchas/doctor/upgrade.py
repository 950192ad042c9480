"""What changes for a machine when versions change: gone, new, still there, unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from gpu_gotchas.doctor.assess import Assessment, Verdict, assess_all, worst
from gpu_gotchas.doctor.claims import Claim
from gpu_gotchas.doctor.conditions import Kind
from gpu_gotchas.doctor.pins import pinned
from gpu_gotchas.doctor.situation import Situation
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.hardware.versions import canonical
from gpu_gotchas.records.setting import Setting


class Change(Enum):
    """new: cannot happen before, can after. gone: the other way round. still: the same on both sides.

    unknown: versions decide, and one of them is not known well enough. What cannot happen on either side is
    left out.
    """

    NEW = "new"
    GONE = "gone"
    STILL = "still there"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Changed:
    change: Change
    before: Assessment
    after: Assessment


_ORDER = list(Change)


def compare(
    gotchas: Iterable[Claim],
    where: Sequence[Situation],
    before: Mapping[str, str | None],
    after: Mapping[str, str | None],
    known: Mapping[str, Setting] | None = None,
) -> tuple[Changed, ...]:
    """Each gotcha that concerns either side, by change and then by severity. Versions outweigh the machine's,
    and so does what they pin. Withdrawn records are left out, and so are those that hang on the version of
    another package, which is not known. where: of each server that is started.
    """
    asked = tuple(gotchas)
    packages = frozenset({*before, *after, *pinned(before), *pinned(after)})
    sides = [
        worst(
            [assess_all(asked, _with(one.machine, versions), one.defaults, known, one.said) for one in where]
        )
        for versions in (before, after)
    ]
    first = {one.gotcha.id: one for one in sides[0]}
    found = [
        Changed(_change(first[one.gotcha.id], one), first[one.gotcha.id], one)
        for one in sides[1]
        if _concerned(first[one.gotcha.id], one, packages)
    ]
    return tuple(sorted(found, key=lambda one: _ORDER.index(one.change)))


def _concerned(before: Assessment, after: Assessment, packages: frozenset[str]) -> bool:
    if before.verdict is after.verdict is Verdict.CANNOT:
        return False
    named = {canonical(name) for case in after.gotcha.affects for name in case.software}
    return bool(named & packages) or not (_versions_open(before) or _versions_open(after))


def _with(machine: Machine, versions: Mapping[str, str | None]) -> Machine:
    return replace(machine, software={**machine.software, **pinned(versions), **versions})


def _change(before: Assessment, after: Assessment) -> Change:
    if _versions_open(before) or _versions_open(after):
        return Change.UNKNOWN
    if before.verdict is Verdict.CANNOT:
        return Change.NEW
    if after.verdict is Verdict.CANNOT:
        return Change.GONE
    return Change.STILL if before.verdict is after.verdict else Change.UNKNOWN


def _versions_open(one: Assessment) -> bool:
    """Whether the case that counts is open because of a version."""
    case = one.closest
    if case is None or one.verdict is not Verdict.MAY:
        return False
    return any(part.kind is Kind.SOFTWARE and part.truth is Truth.UNKNOWN for part in case.conditions)

"""What changes for a machine when versions change: gone, new, still there, unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from gpu_gotchas.doctor.assess import Assessment, Verdict, assess_all
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.records.settings import Setting


class Change(Enum):
    """new: cannot before, will after. gone: will before, cannot after. still: will on both sides.

    unknown: at least one side may. A gotcha that cannot happen on either side is no change.
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


_CHANGES = {
    (Verdict.CANNOT, Verdict.WILL): Change.NEW,
    (Verdict.WILL, Verdict.CANNOT): Change.GONE,
    (Verdict.WILL, Verdict.WILL): Change.STILL,
}
_ORDER = list(Change)


def compare(
    gotchas: Iterable[Gotcha],
    machine: Machine,
    before: Mapping[str, str | None],
    after: Mapping[str, str | None],
    defaults: Mapping[str, str] | None = None,
    known: Mapping[str, Setting] | None = None,
) -> tuple[Changed, ...]:
    """Each gotcha that concerns either side, by change and then by severity. Versions outweigh the machine's.

    Withdrawn records are left out. What is unknown on one side and cannot happen on the other is unknown.
    """
    asked = tuple(gotchas)
    sides = [
        assess_all(asked, replace(machine, software={**machine.software, **versions}), defaults, known)
        for versions in (before, after)
    ]
    first = {one.gotcha.id: one for one in sides[0]}
    found = [
        Changed(_change(first[one.gotcha.id], one), first[one.gotcha.id], one)
        for one in sides[1]
        if Verdict.CANNOT is not one.verdict or Verdict.CANNOT is not first[one.gotcha.id].verdict
    ]
    return tuple(sorted(found, key=lambda one: _ORDER.index(one.change)))


def _change(before: Assessment, after: Assessment) -> Change:
    return _CHANGES.get((before.verdict, after.verdict), Change.UNKNOWN)

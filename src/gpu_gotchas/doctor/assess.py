"""The decision: what a record says of a machine. Pure; three-valued; learning more only changes *may*."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from gpu_gotchas.doctor.conditions import Condition, Kind, conditions, no_release, unproven, unstated
from gpu_gotchas.doctor.remedies import FixState, Remedy, remedies, state
from gpu_gotchas.doctor.setting_truth import InForce
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth, every, some
from gpu_gotchas.records.model import Case, ControlAxis, Gotcha, Severity, Status
from gpu_gotchas.records.settings import Setting, settings


class Verdict(Enum):
    """Whether the record's claim covers the machine."""

    WILL = "will"
    MAY = "may"
    CANNOT = "cannot"


_VERDICTS = {Truth.YES: Verdict.WILL, Truth.UNKNOWN: Verdict.MAY, Truth.NO: Verdict.CANNOT}
_BY_VERDICT = list(Verdict)
_BY_SEVERITY = list(Severity)
_BY_FIX = [FixState.NONE, FixState.AVAILABLE, FixState.ACTIVE]


_STATED = (Kind.HARDWARE, Kind.SOFTWARE, Kind.SETTING)


@dataclass(frozen=True, slots=True)
class CaseAnswer:
    """One way to be affected, and how its conditions came out."""

    truth: Truth
    conditions: tuple[Condition, ...]

    @property
    def likely(self) -> bool:
        """Whether the card or a setting speaks for it, and at least as much as is open, none of which must be
        asked for. A version alone speaks of everybody who has it."""
        known = [part for part in self.conditions if part.truth is Truth.YES and not part.by_default]
        speak = sum(part.kind in _STATED for part in known)
        own = any(part.kind in (Kind.HARDWARE, Kind.SETTING) and not part.mostly for part in known)
        open_ = sum(part.truth is Truth.UNKNOWN and not part.mostly for part in self.conditions)
        asked_for = any(part.opt_in for part in self.conditions)
        return self.truth is not Truth.NO and own and speak >= open_ and not asked_for


@dataclass(frozen=True, slots=True)
class Assessment:
    """What one record says of one machine. cases: in the record's order."""

    gotcha: Gotcha
    verdict: Verdict
    cases: tuple[CaseAnswer, ...]
    remedies: tuple[Remedy, ...]

    @property
    def fix(self) -> FixState:
        return state(self.remedies)

    @property
    def bites(self) -> bool:
        """Whether it will happen and nothing that is in force stops it."""
        return self.verdict is Verdict.WILL and self.fix is not FixState.ACTIVE

    @property
    def likely(self) -> bool:
        """Whether what is known speaks for it: the rest of what *may* happen is too little known, or hangs on
        what nobody is seen to ask for."""
        return any(case.likely for case in self.cases)

    @property
    def warns(self) -> bool:
        """Whether it is told without being asked for: it will happen, or it is likely."""
        return self.verdict is Verdict.WILL or (self.verdict is Verdict.MAY and self.likely)

    @property
    def closest(self) -> CaseAnswer | None:
        """The case that decided the verdict, or that comes nearest."""
        order = (Truth.YES, Truth.UNKNOWN, Truth.NO)
        ranked = sorted(
            self.cases,
            key=lambda case: (
                order.index(case.truth),
                not case.likely,
                sum(one.truth is not Truth.YES for one in case.conditions),
            ),
        )
        return ranked[0] if ranked else None

    @property
    def open(self) -> tuple[str, ...]:
        """What would decide a *may*, each once; empty otherwise."""
        if self.verdict is not Verdict.MAY or self.closest is None:
            return ()
        found = (one.decide for one in self.closest.conditions if one.truth is Truth.UNKNOWN)
        return tuple(dict.fromkeys(found))


def assess(
    gotcha: Gotcha,
    machine: Machine,
    defaults: Mapping[str, str] | None = None,
    known: Mapping[str, Setting] | None = None,
) -> Assessment:
    """What `gotcha` says of `machine`.

    defaults: values of settings that are known not to be set; asked only where `machine.settings` is silent.
    known: the settings by name, by default those of schema/settings.yaml.
    """
    known = settings() if known is None else known
    in_force = InForce(machine.settings, defaults or {})
    cases = []
    for case in gotcha.affects:
        parts = conditions(case, machine, in_force, known)
        if case.provided or (gotcha.control is ControlAxis.CONDITION and not case.when):
            # What tells its controls apart is not always a card, a version or a setting.
            parts = (*parts, unstated(gotcha.id, case.provided))
        missing = no_release(case, gotcha.id)
        if missing is not None:
            parts = (*parts, missing)
        if gotcha.status is Status.DRAFT:
            parts = (*parts, unproven(gotcha.id))
        cases.append(CaseAnswer(every(part.truth for part in parts), parts))
    truth = some(case.truth for case in cases)
    found = remedies(gotcha.fixes, machine, in_force, known)
    return Assessment(gotcha, _VERDICTS[truth], tuple(cases), found)


def none_can_hold(
    cases: Iterable[Case], machine: Machine, defaults: Mapping[str, str], known: Mapping[str, Setting]
) -> bool:
    """Whether every case is known not to hold, which is what CANNOT means."""
    in_force = InForce(machine.settings, defaults)
    return all(
        any(part.truth is Truth.NO for part in conditions(case, machine, in_force, known)) for case in cases
    )


def assess_all(
    gotchas: Iterable[Gotcha],
    machine: Machine,
    defaults: Mapping[str, str] | None = None,
    known: Mapping[str, Setting] | None = None,
) -> tuple[Assessment, ...]:
    """Every record that is not withdrawn: what will happen first, then what is likely, then by severity, then
    what has no fix."""
    found = [assess(one, machine, defaults, known) for one in gotchas if not one.status.withdrawn]
    return tuple(sorted(found, key=_rank))


def _rank(one: Assessment) -> tuple[int, bool, int, int, str]:
    return (
        _BY_VERDICT.index(one.verdict),
        not one.likely,
        _BY_SEVERITY.index(one.gotcha.severity),
        _BY_FIX.index(one.fix),
        one.gotcha.id,
    )

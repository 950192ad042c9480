"""The decision: what a record says of a machine. Pure; three-valued; learning more only changes *may*."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from gpu_gotchas.doctor.claims import Claim
from gpu_gotchas.doctor.conditions import Condition, conditions, no_release, unproven, unstated
from gpu_gotchas.doctor.relevance import LEAST, LEAST_REPORTED, UNWEIGHED, Rarity, score
from gpu_gotchas.doctor.remedies import FixState, Remedy, remedies, state
from gpu_gotchas.doctor.said import NOTHING_SAID, Said
from gpu_gotchas.doctor.setting_truth import InForce
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth, every, some
from gpu_gotchas.records.model import ControlAxis, Severity
from gpu_gotchas.records.setting import Setting


class Verdict(Enum):
    """Whether the record's claim covers the machine."""

    WILL = "will"
    MAY = "may"
    CANNOT = "cannot"


_VERDICTS = {Truth.YES: Verdict.WILL, Truth.UNKNOWN: Verdict.MAY, Truth.NO: Verdict.CANNOT}
_BY_VERDICT = list(Verdict)
_BY_SEVERITY = [*Severity, None]
_BY_FIX = [FixState.NONE, FixState.AVAILABLE, FixState.ACTIVE]


@dataclass(frozen=True, slots=True)
class CaseAnswer:
    """One way to be affected, and how its conditions came out."""

    truth: Truth
    conditions: tuple[Condition, ...]

    @property
    def score(self) -> float:
        return score(self.conditions)


@dataclass(frozen=True, slots=True)
class Assessment:
    """What one record says of one machine.

    cases: in the record's order. relevance: how much of what is known speaks for it (see `relevance`).
    """

    gotcha: Claim
    verdict: Verdict
    cases: tuple[CaseAnswer, ...]
    remedies: tuple[Remedy, ...]
    relevance: float = 0.0

    @property
    def fix(self) -> FixState:
        return state(self.remedies)

    @property
    def bites(self) -> bool:
        """Whether it will happen and nothing that is in force stops it."""
        return self.verdict is Verdict.WILL and self.fix is not FixState.ACTIVE

    @property
    def likely(self) -> bool:
        """Whether enough of what is known speaks for it: the rest of what *may* happen is too little known,
        or hangs on what nobody is seen to ask for."""
        least = LEAST_REPORTED if self.gotcha.status is None else LEAST
        return self.verdict is not Verdict.CANNOT and self.relevance >= least

    @property
    def closest(self) -> CaseAnswer | None:
        """The case that decided the verdict, or that comes nearest."""
        order = (Truth.YES, Truth.UNKNOWN, Truth.NO)
        return min(self.cases, key=lambda case: (order.index(case.truth), -case.score), default=None)

    @property
    def open(self) -> tuple[str, ...]:
        """What would decide a *may*, each once; empty otherwise."""
        if self.verdict is not Verdict.MAY or self.closest is None:
            return ()
        found = (one.decide for one in self.closest.conditions if one.truth is Truth.UNKNOWN)
        return tuple(dict.fromkeys(found))


def assess(
    gotcha: Claim,
    machine: Machine,
    defaults: Mapping[str, str] | None = None,
    known: Mapping[str, Setting] | None = None,
    said: Said = NOTHING_SAID,
    rarity: Rarity = UNWEIGHED,
) -> Assessment:
    """What `gotcha` says of `machine`.

    defaults: values of settings that are known not to be set; asked only where `machine.settings` is silent.
    known: the settings by name, by default those of schema/settings.yaml. said: words that came along, which
    say what is likely and never change a verdict. rarity: of what a record speaks of.
    """
    known = _shipped() if known is None else known
    in_force = InForce(machine.settings, defaults or {})
    cases = []
    for case in gotcha.affects:
        parts = conditions(case, machine, in_force, known, said)
        if case.provided or (gotcha.control is ControlAxis.CONDITION and not case.when):
            # What tells its controls apart is not always a card, a version or a setting.
            parts = (*parts, unstated(gotcha.id, case.provided, said, in_force, known))
        missing = no_release(case, gotcha.id)
        if missing is not None:
            parts = (*parts, missing)
        if not gotcha.proven:
            parts = (*parts, unproven(gotcha.id, reported=gotcha.status is None))
        cases.append(CaseAnswer(every(part.truth for part in parts), parts))
    truth = some(case.truth for case in cases)
    found = remedies(gotcha.fixes, machine, in_force, known)
    open_ = [case.score for case in cases if case.truth is not Truth.NO]
    relevance = max(open_, default=0.0) + (rarity.bits(gotcha, said) if said else 0.0)
    return Assessment(gotcha, _VERDICTS[truth], tuple(cases), found, relevance)


def _shipped() -> Mapping[str, Setting]:
    from gpu_gotchas.records.settings import settings  # parses YAML: the doctor's own document has them too

    return settings()


def assess_all(
    gotchas: Iterable[Claim],
    machine: Machine,
    defaults: Mapping[str, str] | None = None,
    known: Mapping[str, Setting] | None = None,
    said: Said = NOTHING_SAID,
    rarity: Rarity | None = None,
) -> tuple[Assessment, ...]:
    """Every record that is not withdrawn: what will happen first, then what may; of what may, what most is
    known of; else by severity, then what has no fix."""
    asked = [one for one in gotchas if not one.withdrawn]
    if rarity is None:
        rarity = Rarity(asked) if said else UNWEIGHED
    found = [assess(one, machine, defaults, known, said, rarity) for one in asked]
    return tuple(sorted(found, key=_rank))


def worst(each: Sequence[tuple[Assessment, ...]]) -> tuple[Assessment, ...]:
    """Of several launches on one machine, for each record what comes out worst: one that meets it is
    enough."""
    if len(each) == 1:
        return each[0]
    found: dict[str, Assessment] = {}
    for one in (one for part in each for one in part):
        held = found.get(one.gotcha.id)
        if held is None or _badness(one) < _badness(held):
            found[one.gotcha.id] = one
    return tuple(sorted(found.values(), key=_rank))


def _badness(one: Assessment) -> tuple[int, bool, float]:
    return (_BY_VERDICT.index(one.verdict), not one.bites, -one.relevance)


def _rank(one: Assessment) -> tuple[int, float, int, int, str]:
    return (
        _BY_VERDICT.index(one.verdict),
        -one.relevance if one.verdict is Verdict.MAY else 0.0,
        _BY_SEVERITY.index(one.gotcha.severity),
        _BY_FIX.index(one.fix),
        one.gotcha.id,
    )

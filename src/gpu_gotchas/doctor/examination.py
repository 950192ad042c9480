"""The whole answer, as every output tells it."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_gotchas.doctor.assess import Assessment, Verdict
from gpu_gotchas.doctor.ignores import Ignore
from gpu_gotchas.doctor.remedies import FixState
from gpu_gotchas.doctor.situation import Situation


@dataclass(frozen=True, slots=True)
class Examination:
    """found: what stands, worst first. ignored: with what covers it. complaints: about the ignores.

    passed_over: how many more cannot happen there, and were not looked at closely.
    """

    situation: Situation
    found: tuple[Assessment, ...]
    ignored: tuple[tuple[Assessment, Ignore], ...] = ()
    complaints: tuple[str, ...] = ()
    passed_over: int = 0

    def of(self, verdict: Verdict) -> tuple[Assessment, ...]:
        return tuple(one for one in self.found if one.verdict is verdict)

    @property
    def cannot(self) -> int:
        """How many cannot happen there."""
        return len(self.of(Verdict.CANNOT)) + self.passed_over

    @property
    def biting(self) -> tuple[Assessment, ...]:
        """What will happen, with no fix in force."""
        return tuple(one for one in self.found if one.bites)

    @property
    def held_off(self) -> tuple[Assessment, ...]:
        """What would happen, and a fix that is in force stops."""
        return tuple(one for one in self.of(Verdict.WILL) if one.fix is FixState.ACTIVE)

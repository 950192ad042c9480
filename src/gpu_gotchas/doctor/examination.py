"""The whole answer, as every output tells it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gpu_gotchas.doctor.assess import Assessment, Verdict
from gpu_gotchas.doctor.ignores import Ignore
from gpu_gotchas.doctor.remedies import FixState
from gpu_gotchas.doctor.situation import Situation

MOST = 3
"""So many are told by name without being asked for, beside what will happen, which is never left out."""

# How much likelier what is reported must be to be told before what is proven.
_PROVEN = 3.0


@dataclass(frozen=True)
class Examination:
    """situation: of the first server that is started. further: of the others. found: what stands of the
    records, of all servers together, worst and likeliest first. ignored: with what covers it.

    complaints: on the ignores. reported: candidates that may happen there, likeliest first: nothing of them
    is proven. asked_reported: whether candidates were asked.
    """

    situation: Situation
    found: tuple[Assessment, ...]
    ignored: tuple[tuple[Assessment, Ignore], ...] = ()
    complaints: tuple[str, ...] = ()
    reported: tuple[Assessment, ...] = ()
    asked_reported: bool = True
    further: tuple[Situation, ...] = ()

    @property
    def situations(self) -> tuple[Situation, ...]:
        return (self.situation, *self.further)

    @property
    def notes(self) -> tuple[str, ...]:
        """Those of every server, each once."""
        return tuple(dict.fromkeys(note for one in self.situations for note in one.notes))

    def of(self, verdict: Verdict) -> tuple[Assessment, ...]:
        return tuple(one for one in self.found if one.verdict is verdict)

    @cached_property
    def named(self) -> tuple[Assessment, ...]:
        """What is told without being asked for: what will happen, and the likeliest of what may; records
        first."""
        return named([*self.found, *self.reported])

    @property
    def biting(self) -> tuple[Assessment, ...]:
        """What will happen, with no fix in force."""
        return tuple(one for one in self.found if one.bites)

    @property
    def held_off(self) -> tuple[Assessment, ...]:
        """What would happen, and a fix that is in force stops."""
        return tuple(one for one in self.of(Verdict.WILL) if one.fix is FixState.ACTIVE)


def named(found: Sequence[Assessment]) -> tuple[Assessment, ...]:
    """All that will happen, and as many of the likeliest that may as make up MOST, ordered as `found`."""
    will = [one for one in found if one.verdict is Verdict.WILL]
    may = [one for one in found if one.verdict is Verdict.MAY and one.likely]
    may.sort(key=lambda one: one.relevance + (_PROVEN if one.gotcha.proven else 0.0), reverse=True)
    chosen = {id(one) for one in (*will, *may[: max(0, MOST - len(will))])}
    return tuple(one for one in found if id(one) in chosen)

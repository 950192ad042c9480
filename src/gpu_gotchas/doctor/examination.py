"""The whole answer, as every output tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    is proven. asked_reported: whether candidates were asked. servers: by id, the numbers from 1 of the
    servers that meet it; empty where there is one.
    """

    situation: Situation
    found: tuple[Assessment, ...]
    ignored: tuple[tuple[Assessment, Ignore], ...] = ()
    complaints: tuple[str, ...] = ()
    reported: tuple[Assessment, ...] = ()
    asked_reported: bool = True
    further: tuple[Situation, ...] = ()
    servers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def servers_of(self, id: str) -> tuple[int, ...]:
        """Numbers of the servers that meet a gotcha, the first where there is one."""
        return self.servers.get(id, (1,))

    def server_words(self, id: str) -> str:
        """Such as `server 2: vllm org/model`; empty where there is one server."""
        numbers = self.servers.get(id, ())
        if not numbers or not self.further:
            return ""
        named = [f"{number}: {server_name(self.situations[number - 1])}" for number in numbers]
        return f"server{'s' if len(named) > 1 else ''} {', '.join(named)}"

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


def server_name(situation: Situation) -> str:
    """Such as `vllm org/model`."""
    launch = situation.launch
    return " ".join(filter(None, (launch.package, launch.model))) if launch else "none"


def met_by(each: Sequence[Sequence[Assessment]], found: Sequence[Assessment]) -> dict[str, tuple[int, ...]]:
    """By id, the numbers from 1 of those that come out as `found` does; empty where there is one."""
    if len(each) < 2:
        return {}
    sides = [{one.gotcha.id: one for one in side} for side in each]
    return {
        one.gotcha.id: tuple(
            number
            for number, side in enumerate(sides, 1)
            if (side[one.gotcha.id].verdict, side[one.gotcha.id].bites) == (one.verdict, one.bites)
        )
        for one in found
    }


def named(found: Sequence[Assessment]) -> tuple[Assessment, ...]:
    """All that will happen, and as many of the likeliest that may as make up MOST, ordered as `found`."""
    will = [one for one in found if one.verdict is Verdict.WILL]
    may = [one for one in found if one.verdict is Verdict.MAY and one.likely]
    may.sort(key=lambda one: one.relevance + (_PROVEN if one.gotcha.proven else 0.0), reverse=True)
    chosen = {id(one) for one in (*will, *may[: max(0, MOST - len(will))])}
    return tuple(one for one in found if id(one) in chosen)

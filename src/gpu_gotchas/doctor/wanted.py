"""Fixes and workarounds by what they are used as, each with everything it helps against."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpu_gotchas.doctor.assess import Assessment, Verdict
from gpu_gotchas.doctor.remedies import Remedy
from gpu_gotchas.records.model import Workaround


@dataclass(frozen=True, slots=True)
class Wanted:
    """against: ids of the gotchas, worst first."""

    remedy: Remedy
    against: tuple[str, ...]


def wanted(found: Iterable[Assessment], verdicts: Sequence[Verdict]) -> tuple[Wanted, ...]:
    """The fixes of every gotcha with one of these verdicts: what can be typed first, and imports last; of
    each, in the order in which they first help."""
    held: dict[str, Wanted] = {}
    for one in found:
        if one.verdict not in verdicts:
            continue
        for remedy in one.remedies:
            before = held.get(remedy.how)
            against = (*(before.against if before else ()), one.gotcha.id)
            held[remedy.how] = Wanted(before.remedy if before else remedy, against)
    return tuple(sorted(held.values(), key=lambda each: each.remedy.for_authors))


def workarounds(
    found: Iterable[Assessment], verdicts: Sequence[Verdict]
) -> tuple[tuple[Workaround, tuple[str, ...]], ...]:
    """What helps without a fix, each once, with the ids of what it helps against."""
    held: dict[str, tuple[Workaround, tuple[str, ...]]] = {}
    for one in found:
        for each in one.gotcha.workaround if one.verdict in verdicts else ():
            _, against = held.get(each.do, (each, ()))
            held[each.do] = (each, (*against, one.gotcha.id))
    return tuple(held.values())

"""Fixes by what they are used as, each with everything it helps against."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpu_gotchas.doctor.assess import Assessment, Verdict
from gpu_gotchas.doctor.remedies import Remedy


@dataclass(frozen=True, slots=True)
class Wanted:
    """against: ids of the gotchas, worst first."""

    remedy: Remedy
    against: tuple[str, ...]


def wanted(found: Iterable[Assessment], verdicts: Sequence[Verdict]) -> tuple[Wanted, ...]:
    """The fixes of every gotcha with one of these verdicts, in the order in which they first help."""
    held: dict[str, Wanted] = {}
    for one in found:
        if one.verdict not in verdicts:
            continue
        for remedy in one.remedies:
            before = held.get(remedy.how)
            against = (*(before.against if before else ()), one.gotcha.id)
            held[remedy.how] = Wanted(before.remedy if before else remedy, against)
    return tuple(held.values())

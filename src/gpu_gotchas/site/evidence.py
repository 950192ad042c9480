"""What is known of a gotcha, on a target or wherever it strikes, and how firmly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from gpu_gotchas.hardware.catalogue import gpu_by_driver_name
from gpu_gotchas.hardware.targets import Target
from gpu_gotchas.records.model import Gotcha, Report
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import CPU, Probe, Role, Subject, Tier
from gpu_gotchas.repro.results import Result
from gpu_gotchas.repro.targets import is_affected
from gpu_gotchas.site.knowledge import Entry, Knowledge


class Mark(Enum):
    """One thing that is known. Value: how it is said; weakest first."""

    CLAIMED = "claimed by the record's range"
    CLEAN = "control, not affected"
    REPORTED = "reported"
    LOGIC = "proven by reasoning on a CPU"
    UPSTREAM_CPU = "proven by upstream's own code on a CPU"
    MECHANISM = "mechanism proven by compilation"
    UPSTREAM = "upstream proven by compilation"
    CARD = "proven on a card"


class Ground(Enum):
    """On what the proof of a failure rests. Value: how it is said; firmest first."""

    CARD = "proven on a card"
    COMPILATION = "proven by compilation"
    OWN_CODE = "proven by upstream's own code on a CPU"
    REASONING = "proven by reasoning on a CPU"


_GROUNDS = {
    Mark.CARD: Ground.CARD,
    Mark.UPSTREAM: Ground.COMPILATION,
    Mark.MECHANISM: Ground.COMPILATION,
    Mark.UPSTREAM_CPU: Ground.OWN_CODE,
    Mark.LOGIC: Ground.REASONING,
}


def ground(entry: Entry) -> Ground | None:
    """The firmest on which the failure was shown inside the record's range, None where it was not."""
    found = {_GROUNDS[mark] for result in entry.results if (mark := _shown(result))}
    return next((one for one in Ground if one in found), None)


def marks(entry: Entry, target: Target, knowledge: Knowledge) -> tuple[Mark, ...]:
    """What is known on `target`, weakest first; () where nothing is said about it.

    CLAIMED and CLEAN stand alone: a range says least, and a control is outside of it.
    """
    here = entry.results_by_target.get(target.name, ())
    found = {mark for result in here if (mark := _shown(result))}
    if any(
        gpu_target(on, knowledge) == target.name
        for report in standing_reports(entry.gotcha)
        for on in report.on
    ):
        found.add(Mark.REPORTED)
    if not found and any(
        result.outcome is Outcome.CONTROL_CLEAN and result.role is Role.CONTROL for result in here
    ):
        found.add(Mark.CLEAN)
    if not found and is_affected(entry.gotcha, target):
        found.add(Mark.CLAIMED)
    return tuple(mark for mark in Mark if mark in found)


def marks_on_cpu(entry: Entry) -> tuple[Mark, ...]:
    """What was shown on a CPU, weakest first: it holds for every card that the record claims."""
    found = {mark for result in entry.results_by_target.get(CPU, ()) if (mark := _shown(result))}
    return tuple(mark for mark in Mark if mark in found)


def _shown(result: Result) -> Mark | None:
    if (
        result.probe is not Probe.BUG
        or result.role is not Role.AFFECTED
        or result.outcome is not Outcome.REPRODUCED
    ):
        return None
    if result.tier is Tier.DEVICE:
        return Mark.CARD
    if result.subject is Subject.UPSTREAM:
        return Mark.UPSTREAM_CPU if result.target == CPU else Mark.UPSTREAM
    return Mark.LOGIC if result.tier is Tier.LOGIC else Mark.MECHANISM


def gpu_target(gpu: str, knowledge: Knowledge) -> str | None:
    found = knowledge.gpu_by_id.get(gpu)
    return found.target.name if found else None


def standing_reports(gotcha: Gotcha) -> tuple[Report, ...]:
    """Reports that say `reproduces`, of people whose latest report still says so."""
    latest: dict[str | None, Report] = {}
    for report in gotcha.reports:
        if report.by not in latest or report.date >= latest[report.by].date:
            latest[report.by] = report
    return tuple(
        report
        for report in gotcha.reports
        if report.says == "reproduces" and latest[report.by].says == "reproduces"
    )


def names_hardware(gotcha: Gotcha) -> bool:
    """Whether the record is about some hardware, and not about every machine."""
    return any(
        case.hardware.vendors is not None or case.hardware.shared_memory or case.hardware.memory
        for case in gotcha.affects
    )


def cards_run(entry: Entry) -> frozenset[str]:
    """Ids of the cards on which the failure itself was shown."""
    return frozenset(_ids(result for result in entry.on_cards if _shown(result) is Mark.CARD))


def _ids(results: Iterable[Result]) -> Iterator[str]:
    for result in results:
        gpu = gpu_by_driver_name(result.device) if result.device else None
        if gpu:
            yield gpu.id

"""What is known of a gotcha on a target or a card, and how firmly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from gpu_gotchas.hardware.catalogue import gpu_by_driver_name
from gpu_gotchas.hardware.gpus import GIB, Gpu
from gpu_gotchas.hardware.machine import Card
from gpu_gotchas.hardware.targets import Target
from gpu_gotchas.hardware.truth import Truth, some
from gpu_gotchas.records.model import Gotcha, Report
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from gpu_gotchas.repro.results import Result
from gpu_gotchas.repro.targets import is_affected
from gpu_gotchas.site.knowledge import Entry, Knowledge


class Mark(Enum):
    """One thing that is known. Value: how it is said; weakest first."""

    CLAIMED = "claimed by the record's range"
    CLEAN = "control, not affected"
    REPORTED = "reported"
    LOGIC = "reasoning proven on a CPU"
    MECHANISM = "mechanism proven by compilation"
    UPSTREAM = "upstream proven by compilation"
    CARD = "proven on a card"


def marks(entry: Entry, target: Target, knowledge: Knowledge) -> tuple[Mark, ...]:
    """What is known on `target`, weakest first; () where nothing is said about it.

    CLAIMED and CLEAN stand alone: a range says least, and a control is outside of it.
    """
    here = [result for result in entry.results if result.target == target.name]
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
    if not found and names_hardware(entry.gotcha) and is_affected(entry.gotcha, target):
        found.add(Mark.CLAIMED)
    return tuple(mark for mark in Mark if mark in found)


def reasoning_shown(entry: Entry) -> bool:
    """Whether the faulty reasoning was shown on a CPU, which holds for every card."""
    return any(_shown(result) is Mark.LOGIC for result in entry.results)


def _shown(result: Result) -> Mark | None:
    if (
        result.probe is not Probe.BUG
        or result.role is not Role.AFFECTED
        or result.outcome is not Outcome.REPRODUCED
    ):
        return None
    if result.tier is Tier.DEVICE:
        return Mark.CARD
    if result.tier is Tier.LOGIC:
        return Mark.LOGIC
    return Mark.UPSTREAM if result.subject is Subject.UPSTREAM else Mark.MECHANISM


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


def strikes(gotcha: Gotcha, gpu: Gpu) -> Truth:
    """Whether the record's hardware covers this card, in one of its variants; versions and settings apart."""
    sizes: tuple[int | None, ...] = tuple(size * GIB for size in gpu.memory) or (None,)
    cards = [Card(gpu.name, gpu.target, gpu.id, size, gpu.vendor) for size in sizes]
    return some(case.hardware.on_card(card) for case in gotcha.affects for card in cards)


def concerns(entry: Entry, gpu: Gpu) -> bool:
    """Whether this card has something to say about the record that not every card has."""
    gotcha = entry.gotcha
    if names_hardware(gotcha) and strikes(gotcha, gpu) is not Truth.NO:
        return True
    return any(gpu.id in report.on for report in gotcha.reports) or gpu.id in cards_run(entry)


def cards_run(entry: Entry) -> frozenset[str]:
    """Ids of the cards on which the failure itself was shown."""
    return frozenset(_ids(result for result in entry.results if _shown(result) is Mark.CARD))


def _ids(results: Iterable[Result]) -> Iterator[str]:
    for result in results:
        gpu = gpu_by_driver_name(result.device) if result.device else None
        if gpu:
            yield gpu.id

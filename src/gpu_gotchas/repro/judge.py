"""From what was seen of a child to an outcome. Pure: no process, no file, no clock."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gpu_gotchas.hardware.truth import Truth, some
from gpu_gotchas.records.model import Case, ControlAxis, ExpectedExit, FixType
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.plan import Run
from gpu_gotchas.repro.probe import Probe, Role, Tier
from gpu_gotchas.repro.request import Answer, Observation
from gpu_gotchas.repro.symptoms import is_good, no_answer, symptom_seen
from gpu_gotchas.repro.telling import exit_text, lacking, last_line, needs, summary

# Fixes that decide before anything is launched.
_DECIDING = frozenset({FixType.GUARD, FixType.PLANNER, FixType.SETTING})


@dataclass(frozen=True, slots=True)
class Verdict:
    """reason: the symptom's own words, or what went wrong. masked_by: the record whose failure came first."""

    outcome: Outcome
    reason: str
    masked_by: str | None = None


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a verdict may ask of the rest of the base.

    first: the id that the full output, searched, returns first, or None.
    others: ids of the records whose signature a text meets.
    """

    first: Callable[[str], str | None]
    others: Callable[[str], Sequence[str]]


def judge(run: Run, seen: Observation, knowledge: Knowledge) -> Verdict:
    """The outcome of one run."""
    symptom = symptom_seen(run.gotcha, seen)
    broken = _broken(run, seen, symptom)
    if broken:
        return broken
    if run.role is Role.ELSEWHERE:
        return Verdict(Outcome.ELSEWHERE, symptom or f"the symptom did not appear: {summary(seen)}")
    if run.probe is Probe.FIXED:
        return _judge_fixed(run, seen, symptom, knowledge)
    if run.role is Role.CONTROL or run.probe is Probe.CONTROL:
        return _judge_control(run, seen, symptom, knowledge)
    return _judge_bug(run, seen, symptom, knowledge)


def _broken(run: Run, seen: Observation, symptom: str | None) -> Verdict | None:
    """A run that says nothing about the record, unless its end is the symptom."""
    if seen.lost:
        return Verdict(Outcome.CRASHED, seen.lost)
    if seen.flooded:
        return Verdict(Outcome.CRASHED, "printed more than a child may print, and was ended")
    if seen.timed_out and run.gotcha.symptom.exit is not ExpectedExit.HANG:
        said = f"; its last words: {last_line(seen.streams)}" if seen.streams.strip() else ""
        return Verdict(Outcome.TIMED_OUT, f"{no_answer(seen)} (--gotcha-timeout){said}")
    answer = seen.answer
    if answer is None:
        ended = f"{exit_text(seen.exit)}: {last_line(seen.streams)}"
        return None if symptom else Verdict(Outcome.CRASHED, ended)
    if answer.missing and not symptom:
        return Verdict(Outcome.SKIPPED, needs(answer.missing))
    if answer.absent and not symptom and not _claims_versions(run, answer):
        return Verdict(Outcome.SKIPPED, lacking(run.package or "the release", answer.absent))
    if answer.ended == "unloadable":
        return Verdict(Outcome.CRASHED, f"the repro cannot be loaded: {last_line(answer.exception)}")
    if not all(map(math.isfinite, answer.measured)):
        return Verdict(Outcome.CRASHED, f"{summary(seen)}, and an observable is a finite number")
    if answer.ended == "returned" and not answer.launches and _must_launch(run, answer):
        return Verdict(Outcome.CRASHED, "launched nothing")
    return None


def _must_launch(run: Run, answer: Answer) -> bool:
    """In the compile tier a launch must happen. What decides without one must return its decision."""
    if run.target is None or run.tier is Tier.DEVICE:
        return False
    deciding = run.probe is Probe.FIXED and any(fix.type in _DECIDING for fix in run.gotcha.fixes)
    decided = answer.value is not None or bool(answer.measured)
    return not decided or not (deciding or run.tier is Tier.PACKAGE)


def _judge_bug(run: Run, seen: Observation, symptom: str | None, knowledge: Knowledge) -> Verdict:
    if symptom:
        return _confirmed_by_search(run, seen, symptom, knowledge)
    if seen.answer and seen.answer.ended == "raised":
        return Verdict(Outcome.WRONG_SYMPTOM, summary(seen))
    if seen.answer and seen.answer.measured and not is_good(run.gotcha, seen.answer):
        return Verdict(Outcome.INCONCLUSIVE, summary(seen))
    if seen.answer and not _claims_versions(run, seen.answer):
        return Verdict(Outcome.FIXED_HERE, "did not fail, on versions outside the claimed ones")
    return Verdict(Outcome.NOT_REPRODUCED, summary(seen))


def _confirmed_by_search(run: Run, seen: Observation, symptom: str, knowledge: Knowledge) -> Verdict:
    """A symptom that a search of its own output does not lead back from would never be found."""
    if not run.gotcha.symptom.signatures or (seen.answer and seen.answer.measured):
        return Verdict(Outcome.REPRODUCED, symptom)
    first = knowledge.first(seen.full_text)
    siblings = {sibling.id for sibling in run.gotcha.siblings}
    if first == run.gotcha.id or first in siblings:
        return Verdict(Outcome.REPRODUCED, symptom)
    found = f"returns {first} first" if first else "returns nothing"
    return Verdict(Outcome.WRONG_SYMPTOM, f"its own output, searched, {found}: {symptom}")


def _judge_control(run: Run, seen: Observation, symptom: str | None, knowledge: Knowledge) -> Verdict:
    if symptom:
        return Verdict(Outcome.CONTROL_DIRTY, symptom)
    answer = seen.answer
    if answer and answer.ended == "returned":
        if answer.measured and not is_good(run.gotcha, answer):
            return Verdict(Outcome.INCONCLUSIVE, summary(seen))
        return Verdict(Outcome.CONTROL_CLEAN, summary(seen))
    masked = _masked(run, seen, knowledge)
    return masked or Verdict(Outcome.WRONG_SYMPTOM, _unexplained(run, seen))


def _judge_fixed(run: Run, seen: Observation, symptom: str | None, knowledge: Knowledge) -> Verdict:
    answer = seen.answer
    if symptom or answer is None:
        return Verdict(Outcome.FIX_FAILED, symptom or summary(seen))
    if answer.refused:
        return _judge_refusal(run, seen)
    if answer.ended == "raised":
        masked = _masked(run, seen, knowledge) if run.role is Role.CONTROL else None
        return masked or Verdict(Outcome.FIX_FAILED, summary(seen))
    if answer.measured and not is_good(run.gotcha, answer):
        return Verdict(Outcome.INCONCLUSIVE, summary(seen))
    types = {fix.type for fix in run.gotcha.fixes}
    if run.role is Role.AFFECTED and types == {FixType.GUARD}:
        return Verdict(Outcome.FIX_FAILED, f"the guard let through what it should refuse: {summary(seen)}")
    return Verdict(Outcome.FIX_CONFIRMED, summary(seen))


def _judge_refusal(run: Run, seen: Observation) -> Verdict:
    if run.role is Role.CONTROL:
        return Verdict(Outcome.OVERBLOCKED, summary(seen))
    is_guard = any(fix.type is FixType.GUARD for fix in run.gotcha.fixes)
    return Verdict(Outcome.GUARDED if is_guard else Outcome.FIX_FAILED, summary(seen))


def _masked(run: Run, seen: Observation, knowledge: Knowledge) -> Verdict | None:
    """Another failure came first, and a record explains it; None where none does.

    Of several that carry the same text, one that the record itself knows as a sibling.
    """
    others = [other for other in knowledge.others(seen.symptom_text) if other != run.gotcha.id]
    if not others:
        return None
    siblings = {sibling.id for sibling in run.gotcha.siblings}
    first = next((other for other in others if other in siblings), others[0])
    return Verdict(Outcome.MASKED, f"{first} strikes first: {summary(seen)}", masked_by=first)


def _unexplained(run: Run, seen: Observation) -> str:
    """Whoever drew the ranges from reports may have seen only a part of what fails."""
    on_condition = run.gotcha.control is ControlAxis.CONDITION
    hint = "" if on_condition else "\nThe claimed range may be too narrow, or the signature too strict."
    return f"fails here too, and no record explains it: {summary(seen)}{hint}"


def _claims_versions(run: Run, answer: Answer) -> bool:
    """Whether some case claims for sure the versions that the child really used.

    A package that it did not have takes no part, nor one that a mechanism of ours models and never calls.
    """
    modelled = {model.package for model in run.gotcha.models}
    versions = {name: version for name, version in answer.versions.items() if name not in modelled}
    if run.package:
        name, _, version = run.package.partition("==")
        versions[name] = version
    return any(
        _claims(case, versions)
        for case in run.gotcha.affects
        if run.target is None or case.hardware.on_target(run.target) is Truth.YES
    )


def _claims(case: Case, versions: Mapping[str, str]) -> bool:
    return all(
        not ranges or some(range_.holds(versions[package]) for range_ in ranges) is Truth.YES
        for package, ranges in case.software.items()
        if package in versions
    )

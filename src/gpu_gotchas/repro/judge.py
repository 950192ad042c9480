"""From what was seen of a child to an outcome. Pure: no process, no file, no clock."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpu_gotchas.hardware.conditions import VersionRange
from gpu_gotchas.hardware.truth import Truth, some
from gpu_gotchas.records.model import ExpectedExit, FixType, Gotcha
from gpu_gotchas.records.templates import match_signature
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.plan import Run
from gpu_gotchas.repro.probe import Probe, Role, Tier
from gpu_gotchas.repro.request import Answer, Observation

_DEVICE_FAULTS = ("CUDA error:", "HIP error:", "Memory access fault by GPU", "CUDA driver error:")


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
    broken = _broken(run, seen)
    if broken:
        return broken
    symptom = _symptom(run.gotcha, seen)
    if run.role is Role.ELSEWHERE:
        return Verdict(Outcome.ELSEWHERE, symptom or f"the symptom did not appear: {_summary(seen)}")
    if run.probe is Probe.FIXED:
        return _judge_fixed(run, seen, symptom, knowledge)
    if run.role is Role.CONTROL or run.probe is Probe.CONTROL:
        return _judge_control(run, seen, symptom, knowledge)
    return _judge_bug(run, seen, symptom, knowledge)


def _broken(run: Run, seen: Observation) -> Verdict | None:
    """A run that says nothing about the record, unless its end is the symptom."""
    if seen.flooded:
        return Verdict(Outcome.CRASHED, "printed more than a child may print, and was ended")
    if seen.timed_out and run.gotcha.symptom.exit is not ExpectedExit.HANG:
        return Verdict(Outcome.TIMED_OUT, _last_line(seen.streams) or "no answer within the time limit")
    answer = seen.answer
    if answer is None:
        symptom = _symptom(run.gotcha, seen)
        return (
            None if symptom else Verdict(Outcome.CRASHED, f"{_exit(seen.exit)}: {_last_line(seen.streams)}")
        )
    if answer.ended == "unloadable":
        return Verdict(Outcome.CRASHED, f"the repro cannot be loaded: {_last_line(answer.exception)}")
    if _must_launch(run) and answer.ended == "returned" and not answer.launches:
        return Verdict(Outcome.CRASHED, "launched nothing")
    return None


def _must_launch(run: Run) -> bool:
    """Whether the failure is one of a launch. Upstream's code is asked for one where our own repro makes one."""
    return run.target is not None and run.tier is not Tier.DEVICE and Tier.COMPILE in run.repro.tiers


def _judge_bug(run: Run, seen: Observation, symptom: str | None, knowledge: Knowledge) -> Verdict:
    if symptom:
        return _confirmed_by_search(run, seen, symptom, knowledge)
    if seen.answer and seen.answer.ended == "raised":
        return Verdict(Outcome.WRONG_SYMPTOM, _summary(seen))
    if seen.answer and seen.answer.measured and not _is_good(run.gotcha, seen.answer):
        return Verdict(Outcome.INCONCLUSIVE, _summary(seen))
    if seen.answer and _outside_claimed_versions(run.gotcha, seen.answer):
        return Verdict(Outcome.FIXED_HERE, "did not fail, on versions outside the claimed ones")
    return Verdict(Outcome.NOT_REPRODUCED, _summary(seen))


def _confirmed_by_search(run: Run, seen: Observation, symptom: str, knowledge: Knowledge) -> Verdict:
    """A symptom that a search of its own output does not lead back from would never be found."""
    if not run.gotcha.symptom.signatures or (seen.answer and seen.answer.measured):
        return Verdict(Outcome.REPRODUCED, symptom)
    first = knowledge.first(seen.full_text)
    siblings = {sibling.id for sibling in run.gotcha.siblings}
    if first == run.gotcha.id or first in siblings:
        return Verdict(Outcome.REPRODUCED, symptom)
    found = f"returns {first}" if first else "returns nothing"
    return Verdict(Outcome.WRONG_SYMPTOM, f"its own output, searched, {found} first: {symptom}")


def _judge_control(run: Run, seen: Observation, symptom: str | None, knowledge: Knowledge) -> Verdict:
    if symptom:
        return Verdict(Outcome.CONTROL_DIRTY, symptom)
    answer = seen.answer
    if answer and answer.ended == "returned":
        if answer.measured and not _is_good(run.gotcha, answer):
            return Verdict(Outcome.INCONCLUSIVE, _summary(seen))
        return Verdict(Outcome.CONTROL_CLEAN, _summary(seen))
    return _masked(run, seen, knowledge)


def _judge_fixed(run: Run, seen: Observation, symptom: str | None, knowledge: Knowledge) -> Verdict:
    answer = seen.answer
    if symptom or answer is None:
        return Verdict(Outcome.FIX_FAILED, symptom or _summary(seen))
    if answer.refused:
        return _judge_refusal(run, seen)
    if answer.ended == "raised":
        explained = run.role is Role.CONTROL and _masked(run, seen, knowledge)
        return explained if explained and explained.masked_by else Verdict(Outcome.FIX_FAILED, _summary(seen))
    if answer.measured and not _is_good(run.gotcha, answer):
        return Verdict(Outcome.INCONCLUSIVE, _summary(seen))
    return Verdict(Outcome.FIX_CONFIRMED, _summary(seen))


def _judge_refusal(run: Run, seen: Observation) -> Verdict:
    if run.role is Role.CONTROL:
        return Verdict(Outcome.OVERBLOCKED, _summary(seen))
    is_guard = any(fix.type is FixType.GUARD for fix in run.gotcha.fixes)
    return Verdict(Outcome.GUARDED if is_guard else Outcome.FIX_FAILED, _summary(seen))


def _masked(run: Run, seen: Observation, knowledge: Knowledge) -> Verdict:
    """Another failure came first. The record that explains it is named; without one the proof stays open."""
    others = [other for other in knowledge.others(seen.symptom_text) if other != run.gotcha.id]
    if others:
        return Verdict(Outcome.MASKED, f"{others[0]} strikes first: {_summary(seen)}", masked_by=others[0])
    return Verdict(Outcome.MASKED, f"no record explains: {_summary(seen)}")


def _symptom(gotcha: Gotcha, seen: Observation) -> str | None:
    """The record's own symptom as it appeared, in its own words, or None."""
    symptom = gotcha.symptom
    answer = seen.answer
    if symptom.exit is ExpectedExit.HANG and seen.timed_out:
        return "no answer within the time limit"
    if symptom.exit is ExpectedExit.SIGNAL and answer is None and seen.exit < 0:
        return _exit(seen.exit)
    if symptom.exit is ExpectedExit.DEVICE_FAULT and any(
        fault in seen.symptom_text for fault in _DEVICE_FAULTS
    ):
        return _line_with(seen.symptom_text, _DEVICE_FAULTS)
    if symptom.observable and answer and answer.measured:
        bad = all(symptom.observable.bad.holds(number) for number in answer.measured)
        return _numbers(gotcha, answer) if bad else None
    if answer and answer.ended == "returned":
        return None
    lines = seen.symptom_text.splitlines()
    for signature in symptom.signatures:
        match = match_signature(signature, lines)
        if match:
            return " … ".join(lines[met.line].strip() for met in match.lines)
    return None


def _is_good(gotcha: Gotcha, answer: Answer) -> bool:
    observable = gotcha.symptom.observable
    return observable is not None and all(observable.good.holds(number) for number in answer.measured)


def _outside_claimed_versions(gotcha: Gotcha, answer: Answer) -> bool:
    """Whether some package that the child really used is at a version that no case claims for sure."""
    asked: list[tuple[tuple[VersionRange, ...], str]] = [
        (ranges, answer.versions[package])
        for case in gotcha.affects
        for package, ranges in case.software.items()
        if package in answer.versions
    ]
    return any(some(range_.holds(version) for range_ in ranges) is not Truth.YES for ranges, version in asked)


def _numbers(gotcha: Gotcha, answer: Answer) -> str:
    observable = gotcha.symptom.observable
    assert observable is not None
    low, high = min(answer.measured), max(answer.measured)
    span = f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
    unit = f" {observable.unit}" if observable.unit else ""
    return f"{observable.quantity} {span}{unit} (bad {observable.bad}, good {observable.good})"


def _summary(seen: Observation) -> str:
    answer = seen.answer
    if answer is None:
        return f"{_exit(seen.exit)}: {_last_line(seen.streams)}"
    if answer.ended == "raised":
        return answer.exception.strip()
    if answer.measured:
        return f"measured {', '.join(f'{number:.4g}' for number in answer.measured)}"
    if answer.launches:
        return f"compiles and fits, {answer.launches} launch{'es' if answer.launches > 1 else ''}"
    return "returned"


def _exit(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code} and no answer"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it printed nothing"


def _line_with(text: str, words: Sequence[str]) -> str:
    return next(line.strip() for line in text.splitlines() if any(word in line for word in words))

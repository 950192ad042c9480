"""Whether a record's own symptom is to be seen in what a child did."""

from __future__ import annotations

from gpu_gotchas.records.model import ExpectedExit, Gotcha
from gpu_gotchas.records.templates import match_signature
from gpu_gotchas.repro.request import Answer, Observation
from gpu_gotchas.repro.telling import exit_text

# What a driver says when a kernel went wrong and took the context with it. Other CUDA errors, such as
# "no kernel image is available", are refusals: nothing ran.
_DEVICE_FAULTS = (
    "illegal memory access",
    "misaligned address",
    "illegal instruction",
    "invalid program counter",
    "unspecified launch failure",
    "device-side assert triggered",
    "launch timed out and was terminated",
    "uncorrectable ECC error",
    "Memory access fault by GPU",
    "HSA_STATUS_ERROR_EXCEPTION",
    "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION",
)

# Triton's own words when LLVM or MLIR has printed why.
_PASS_FAILED = "PassManager::run failed"


def no_answer(seen: Observation) -> str:
    """That a child gave none, and how long it had."""
    return f"no answer within {seen.limit:g} s"


def symptom_seen(gotcha: Gotcha, seen: Observation) -> str | None:
    """The symptom as it appeared, in its own words, or None."""
    symptom, answer = gotcha.symptom, seen.answer
    if symptom.exit is not None:
        told = _by_its_end(symptom.exit, seen)
        if told:
            return told
    if answer is None:
        return None  # an end without an answer is a symptom only where the record says so
    if symptom.observable and answer.measured:
        bad = all(symptom.observable.bad.holds(number) for number in answer.measured)
        return _numbers(gotcha, answer) if bad else None
    if answer.ended == "returned":
        return None
    lines = seen.symptom_text.splitlines()
    raised = len(answer.exception.splitlines())
    # Lines of the exception come first. What was only printed is no failure, except where a compiler prints
    # its reason and raises that a pass failed.
    enough = len(lines) if _PASS_FAILED in answer.exception else raised
    for signature in symptom.signatures:
        match = match_signature(signature, lines)
        if match and any(met.line < enough for met in match.lines):
            return " … ".join(lines[met.line].strip() for met in match.lines)
    return None


def is_good(gotcha: Gotcha, answer: Answer) -> bool:
    """Whether every number that was measured lies within the observable's good bound."""
    observable = gotcha.symptom.observable
    return observable is not None and all(observable.good.holds(number) for number in answer.measured)


def _by_its_end(expected: ExpectedExit, seen: Observation) -> str | None:
    match expected:
        case ExpectedExit.HANG:
            return no_answer(seen) if seen.timed_out else None
        case ExpectedExit.SIGNAL:
            return exit_text(seen.exit) if seen.answer is None and seen.exit < 0 else None
        case ExpectedExit.DEVICE_FAULT:
            lines = seen.symptom_text.splitlines()
            faults = (line.strip() for line in lines if any(fault in line for fault in _DEVICE_FAULTS))
            return next(faults, None)


def _numbers(gotcha: Gotcha, answer: Answer) -> str:
    observable = gotcha.symptom.observable
    assert observable is not None
    low, high = min(answer.measured), max(answer.measured)
    span = f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
    unit = f" {observable.unit}" if observable.unit else ""
    return f"{observable.quantity} {span}{unit} (bad {observable.bad}, good {observable.good})"

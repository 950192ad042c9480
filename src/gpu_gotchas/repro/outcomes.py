"""Outcomes: every way in which a probe run can end, and whether that counts as passed."""

from __future__ import annotations

from enum import Enum


class Outcome(Enum):
    REPRODUCED = "reproduced"
    FIX_CONFIRMED = "fix-confirmed"
    GUARDED = "guarded"
    CONTROL_CLEAN = "control-clean"
    FIXED_HERE = "fixed-here"

    NOT_REPRODUCED = "not-reproduced"
    WRONG_SYMPTOM = "wrong-symptom"
    FIX_FAILED = "fix-failed"
    CONTROL_DIRTY = "control-dirty"
    OVERBLOCKED = "overblocked"
    CRASHED = "crashed"
    TIMED_OUT = "timed-out"

    MASKED = "masked"
    INCONCLUSIVE = "inconclusive"
    ELSEWHERE = "elsewhere"
    SKIPPED = "skipped"

    @property
    def passed(self) -> bool:
        return self in _PASSED

    @property
    def failed(self) -> bool:
        return self in _FAILED


_PASSED = frozenset(
    {
        Outcome.REPRODUCED,
        Outcome.FIX_CONFIRMED,
        Outcome.GUARDED,
        Outcome.CONTROL_CLEAN,
        Outcome.FIXED_HERE,
    }
)
_FAILED = frozenset(
    {
        Outcome.NOT_REPRODUCED,
        Outcome.WRONG_SYMPTOM,
        Outcome.FIX_FAILED,
        Outcome.CONTROL_DIRTY,
        Outcome.OVERBLOCKED,
        Outcome.CRASHED,
        Outcome.TIMED_OUT,
    }
)

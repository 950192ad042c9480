"""Results: one line about one probe run, in files that survive a killed run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier


@dataclass(frozen=True, slots=True)
class Result:
    """proves: hash of what the run proved. seconds: wall time of the child. date: ISO 8601, UTC.

    reason: the symptom's own words, or why it did not run. device: the card's name, None without one.
    versions: package to version, as the child saw them. by: who ran it, None when not said.
    measured: what an observable came to, one number a call.
    """

    gotcha: str
    tier: Tier
    target: str
    probe: Probe
    role: Role
    subject: Subject
    outcome: Outcome
    reason: str
    proves: str
    seconds: float
    versions: Mapping[str, str]
    device: str | None
    date: str
    by: str | None = None
    measured: tuple[float, ...] = ()

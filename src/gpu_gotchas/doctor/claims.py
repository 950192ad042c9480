"""What the doctor asks of a record or of a candidate, and the same as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.records.model import (
    Candidate,
    Case,
    ControlAxis,
    Fix,
    FixType,
    Gotcha,
    Kind,
    Risk,
    Severity,
    Status,
    Workaround,
)
from gpu_gotchas.records.raw_hardware import hardware_condition, raw_hardware


@dataclass(frozen=True, slots=True)
class Claim:
    """status, severity and kind are None for a candidate: it is reported, and nothing of it is proven.

    summary: what the user sees. reporters: how many people met it.
    """

    id: str
    title: str
    status: Status | None
    severity: Severity | None
    kind: Kind | None
    summary: str
    concepts: tuple[str, ...]
    aliases: tuple[str, ...]
    workaround: tuple[Workaround, ...]
    affects: tuple[Case, ...]
    control: ControlAxis | None
    fixes: tuple[Fix, ...]
    reporters: int

    @property
    def proven(self) -> bool:
        """Whether it is a record with a repro that was run."""
        return self.status not in (None, Status.DRAFT)

    @property
    def withdrawn(self) -> bool:
        return self.status is not None and self.status.withdrawn


def claim_of(one: Gotcha | Candidate) -> Claim:
    """What the doctor needs of it."""
    return Claim(
        id=one.id,
        title=one.title,
        status=one.status if isinstance(one, Gotcha) else None,
        severity=one.severity if isinstance(one, Gotcha) else None,
        kind=one.kind if isinstance(one, Gotcha) else None,
        summary=one.symptom.summary if isinstance(one, Gotcha) else one.symptom,
        concepts=one.concepts,
        aliases=one.aliases,
        workaround=one.workaround if isinstance(one, Gotcha) else (),
        affects=one.affects,
        control=one.control if isinstance(one, Gotcha) else None,
        fixes=one.fixes if isinstance(one, Gotcha) else (),
        reporters=one.reporter_count,
    )


def raw_claim(claim: Claim) -> dict[str, Any]:
    """A claim as JSON can hold it; `claim_from` reads it again."""
    return {
        "id": claim.id,
        "title": claim.title,
        "status": claim.status and claim.status.value,
        "severity": claim.severity and claim.severity.value,
        "kind": claim.kind and claim.kind.value,
        "summary": claim.summary,
        "concepts": list(claim.concepts),
        "aliases": list(claim.aliases),
        "workaround": [[one.do, one.costs] for one in claim.workaround],
        "affects": [_raw_case(case) for case in claim.affects],
        "control": claim.control and claim.control.value,
        "fixes": [[one.use, one.type.value, one.costs, one.risk.value] for one in claim.fixes],
        "reporters": claim.reporters,
    }


def claim_from(raw: Mapping[str, Any]) -> Claim:
    """The claim that `raw_claim` wrote down."""
    return Claim(
        id=raw["id"],
        title=raw["title"],
        status=raw["status"] and Status(raw["status"]),
        severity=raw["severity"] and Severity(raw["severity"]),
        kind=raw["kind"] and Kind(raw["kind"]),
        summary=raw["summary"],
        concepts=tuple(raw["concepts"]),
        aliases=tuple(raw["aliases"]),
        workaround=tuple(Workaround(do, costs) for do, costs in raw["workaround"]),
        affects=tuple(map(_case, raw["affects"])),
        control=raw["control"] and ControlAxis(raw["control"]),
        fixes=tuple(Fix(use, FixType(type_), costs, Risk(risk)) for use, type_, costs, risk in raw["fixes"]),
        reporters=raw["reporters"],
    )


def _raw_case(case: Case) -> dict[str, Any]:
    spans = {
        name: [[span.introduced, span.fixed, span.last_bad, span.measured] for span in ranges]
        for name, ranges in case.software.items()
    }
    return {
        "hardware": raw_hardware(case.hardware),
        "software": spans,
        "platform": list(case.platform),
        "when": {name: list(values) for name, values in case.when.items()},
        "provided": case.provided,
    }


def _case(raw: Mapping[str, Any]) -> Case:
    return Case(
        hardware_condition(raw["hardware"]),
        {name: tuple(VersionRange(*span) for span in spans) for name, spans in raw["software"].items()},
        tuple(raw["platform"]),
        {name: tuple(values) for name, values in raw["when"].items()},
        raw["provided"],
    )

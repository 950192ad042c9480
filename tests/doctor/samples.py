"""Small records and settings for tests of the doctor."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gpu_gotchas.doctor.claims import Claim, claim_of
from gpu_gotchas.doctor.command.launch import Launch, read_commands
from gpu_gotchas.hardware.conditions import CapabilityRange, HardwareCondition, VendorCondition, VersionRange
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.records.model import (
    Case,
    ControlAxis,
    Fix,
    FixType,
    Gotcha,
    Kind,
    Risk,
    Severity,
    Status,
    Symptom,
    Workaround,
)
from gpu_gotchas.records.settings import settings

AMPERE = HardwareCondition({Vendor.NVIDIA: VendorCondition((CapabilityRange.parse(">=8.0,<8.9"),))})


def case(
    hardware: HardwareCondition | None = None,
    software: Mapping[str, tuple[VersionRange, ...]] | None = None,
    platform: tuple[str, ...] = (),
    when: Mapping[str, tuple[str, ...]] | None = None,
) -> Case:
    return Case(hardware or HardwareCondition(), software or {}, platform, when or {})


def gotcha(
    *affects: Case,
    id: str = "sample-one",
    severity: Severity = Severity.MAJOR,
    status: Status = Status.VERIFIED,
    control: ControlAxis = ControlAxis.HARDWARE,
    fixes: tuple[Fix, ...] = (),
) -> Claim:
    return claim_of(
        Gotcha(
            id=id,
            title=f"The title of {id}",
            status=status,
            severity=severity,
            kind=Kind.CRASH,
            added="2026-11-30",
            concepts=("sample",),
            aliases=(f"{id}-alias",),
            symptom=Symptom("It fails."),
            root_cause="Because.",
            workaround=(Workaround("Do without.", "Something."),),
            affects=affects,
            control=control,
            models=(),
            siblings=(),
            reports=(),
            reporter_count=0,
            fixes=fixes,
            upstream=(),
            history=(),
            successor=None,
            path=Path(id),
        )
    )


def fix(use: str, type: FixType) -> Fix:
    return Fix(use, type, "Some speed.", Risk.LOW)


def launches_of(text: str) -> list[Launch]:
    """As a Dockerfile, a report or an agent gives a command: a shell reads it."""
    return list(read_commands(("sh", "-c", text), settings()))

"""Invented records for the tests of the site. None of them claims anything about the world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gpu_gotchas.hardware.conditions import (
    CapabilityRange,
    HardwareCondition,
    VendorCondition,
    VersionRange,
)
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.records.model import (
    Basis,
    Bound,
    Candidate,
    Case,
    Claim,
    ControlAxis,
    Event,
    ExpectedExit,
    Fix,
    FixType,
    Gotcha,
    Kind,
    Model,
    Observable,
    Report,
    Risk,
    Severity,
    Sibling,
    Signature,
    Status,
    Symptom,
    Upstream,
    Workaround,
)
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from gpu_gotchas.repro.proof import Proof
from gpu_gotchas.repro.results import Result
from gpu_gotchas.site.knowledge import Entry, Knowledge

DAY = "2026-11-30"
URL = "https://example.org/issues/1"
AGAINST = "bug on sm_89 came out not-reproduced"
NO_FIX = "fixed is not shown on sm_89 (compile)"


def nvidia(*ranges: str) -> HardwareCondition:
    return HardwareCondition(
        {Vendor.NVIDIA: VendorCondition(tuple(CapabilityRange.parse(one) for one in ranges))}
    )


def case(hardware: HardwareCondition | None = None, **changes: object) -> Case:
    return replace(Case(hardware or HardwareCondition(), {}, (), {}), **changes)  # type: ignore[arg-type]


def gotcha(id: str = "sample-plain", **changes: object) -> Gotcha:
    """A short record. changes: its fields."""
    base = Gotcha(
        id=id,
        title="An invented failure",
        status=Status.VERIFIED,
        severity=Severity.MAJOR,
        kind=Kind.CRASH,
        added=DAY,
        concepts=("invented",),
        aliases=(),
        symptom=Symptom("An invented process ends."),
        root_cause="Made up for a test.",
        workaround=(Workaround("Do something else."),),
        affects=(case(nvidia(">=8.9,<9.0")),),
        control=ControlAxis.HARDWARE,
        models=(),
        siblings=(),
        reports=(),
        reporter_count=0,
        fixes=(),
        upstream=(),
        history=(),
        successor=None,
        path=Path("nowhere"),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def result(gotcha: str, **changes: object) -> Result:
    base = Result(
        gotcha=gotcha,
        tier=Tier.COMPILE,
        target="sm_89",
        probe=Probe.BUG,
        role=Role.AFFECTED,
        subject=Subject.MECHANISM,
        outcome=Outcome.REPRODUCED,
        reason="SampleError: no room for 4 things",
        proves="0123456789ab",
        seconds=0.5,
        versions={"triton": "3.7.0"},
        device=None,
        date=f"{DAY}T12:00:00+00:00",
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def full() -> Entry:
    """A record in which every part is there, and results of every tier."""
    id = "sample-full"
    record = gotcha(
        id,
        title="An invented kernel needs more room than an invented card has",
        severity=Severity.BLOCKER,
        aliases=("sample-old-name",),
        concepts=("invented", "shared-memory"),
        symptom=Symptom(
            "The invented server starts, then ends on the first request.",
            (
                Signature(
                    ("sample_kernel", "out of room: {required:int} of {limit:int}"),
                    Basis.PROVEN,
                    None,
                    ("sample.py",),
                ),
                Signature(("no room for {int} things",), Basis.REPORTED, URL),
            ),
            Observable("share of lost things", "%", Bound(True, 5), Bound(False, 0.1), 3, 1, "Far apart."),
            ExpectedExit.SIGNAL,
        ),
        root_cause="Two stages are asked for.\n\nEach takes half of the room, and a header.",
        workaround=(
            Workaround("Ask for one stage.", "A third of the speed."),
            Workaround("Use another card."),
        ),
        affects=(
            case(
                nvidia(">=8.9,<9.0", ">=12.0,<12.2"),
                software={"vllm": (VersionRange("0.20.0", None, "0.33.0", measured=True),)},
                when={"kv_cache_dtype": ("fp8", "fp8_e4m3"), "sample_setting": ("on",)},
                platform=("linux", "container"),
            ),
        ),
        models=(Model("vllm", "0.33.0", "sample.launch"),),
        siblings=(
            Sibling("sample-plain", "The name of the kernel."),
            Sibling("sample-believed", "The number."),
        ),
        reports=(
            Report(URL, "github:sample-person", "2026-08-01", ("nvidia-gb10",), "reproduces"),
            Report(URL, "github:sample-other", "2026-08-02", (), "does-not-reproduce"),
        ),
        reporter_count=1,
        fixes=(
            Fix("gpu_gotchas.fixes.refused", FixType.PLANNER, "One stage instead of two.", Risk.LOW),
            Fix("--sample-stages 1", FixType.SETTING, "Speed.", Risk.MEDIUM),
        ),
        upstream=(Upstream(URL, "Out of room", "open", None, "2026-11-29"),),
        history=(Event("2026-11-01", "A range of one card.", "A second card was reported."),),
    )
    results = (
        *(result(id, target=target) for target in ("sm_89", "sm_120", "sm_121")),
        *(
            result(id, target=target, probe=Probe.FIXED, outcome=Outcome.FIX_CONFIRMED, reason="")
            for target in ("sm_89", "sm_120", "sm_121")
        ),
        result(id, target="sm_90", role=Role.CONTROL, outcome=Outcome.CONTROL_CLEAN, reason=""),
        result(id, target="sm_87", role=Role.CONTROL, outcome=Outcome.MASKED, masked_by="sample-plain"),
        result(id, target="sm_89", tier=Tier.PACKAGE, subject=Subject.UPSTREAM, package="vllm==0.33.0"),
        result(id, target="sm_121", tier=Tier.DEVICE, device="NVIDIA GB10", measured=(5.5, 7.0)),
    )
    return Entry(record, results, Proof(stale=2), 'NEEDS = {"gpus": 1}\n\n\ndef bug(target): ...\n')


def entries() -> tuple[Entry, ...]:
    """One record for each way of standing."""
    return (
        Entry(gotcha("sample-contested"), (), Proof(contradictions=(AGAINST,)), "x = 1\n"),
        Entry(gotcha("sample-draft", status=Status.DRAFT, affects=(case(),))),
        full(),
        Entry(gotcha("sample-plain"), (result("sample-plain"),), Proof(missing_fix=(NO_FIX,)), "x = 1\n"),
        Entry(
            gotcha(
                "sample-retracted",
                status=Status.RETRACTED,
                history=(Event(DAY, "It was said to be the memory.", "Its author found another cause."),),
                successor="sample-believed",
            )
        ),
    )  # fmt: skip


def hostile(raw: str) -> Entry:
    """A full record in which every free text is `raw`, also in its results and its repro."""
    base = full()
    record = base.gotcha
    symptom = record.symptom
    signature = Signature((raw, raw), Basis.PROVEN, None, (raw,))
    assert symptom.observable is not None
    return Entry(
        replace(
            record,
            id="sample-hostile",
            title=raw,
            concepts=(),
            aliases=(raw,),
            symptom=replace(
                symptom,
                summary=raw,
                signatures=(signature,),
                observable=replace(symptom.observable, quantity=raw, unit=raw, because=raw),
            ),
            root_cause=raw,
            workaround=(Workaround(raw, raw),),
            affects=(
                case(
                    HardwareCondition({Vendor.AMD: VendorCondition(names=(raw,))}),
                    software={raw: ()},
                    platform=(raw,),
                    when={raw: (raw,)},
                ),
            ),
            models=(Model(raw, raw, raw),),
            siblings=(Sibling(raw, raw),),
            reports=(Report(raw, raw, raw, (raw,), raw),),
            fixes=(Fix(raw, FixType.SETTING, raw, Risk.LOW),),
            upstream=(Upstream(raw, raw, raw, raw, raw),),
            history=(Event(raw, raw, raw),),
        ),
        tuple(
            result(
                raw,
                target=raw,
                reason=raw,
                versions={raw: raw},
                package=raw,
                device=raw,
                masked_by=raw,
                tier=tier,
            )
            for tier in Tier
        ),
        Proof((raw,), (raw,)),
        raw,
    )


def candidate(id: str = "sample-believed", **changes: object) -> Candidate:
    base = Candidate(
        id=id,
        title="An invented belief",
        symptom="Things vanish.",
        believed="Something takes them.",
        because="They were there before.",
        repro_wanted="A card that loses things.",
        concepts=("invented", "only-believed"),
        aliases=(),
        signatures=(Signature(("things vanished: {int}",), Basis.REPORTED, URL),),
        affects=(),
        reports=(Report(URL, "github:sample-person", "2026-08-01", (), "reproduces"),),
        reporter_count=1,
        claimed=Claim(12, URL),
        path=Path("nowhere"),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def knowledge(*more: Entry, candidates: tuple[Candidate, ...] | None = None) -> Knowledge:
    found = sorted((*entries(), *more), key=lambda entry: entry.gotcha.id)
    believed = (candidate(),) if candidates is None else candidates
    return Knowledge(tuple(found), believed, DAY, "0.0.0")


def written() -> Mapping[str, bytes]:
    """Hand-written pages as small as they may be."""
    markers = ("paste", "counts", "newest", "most reported")
    return {"index.md": "\n\n".join(["# Sample", *(f"<!-- {one} -->" for one in markers)]).encode()}

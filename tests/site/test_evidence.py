"""What counts as known where."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.records.model import Report
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from gpu_gotchas.site.evidence import Ground, Mark, ground, marks, marks_on_cpu, standing_reports
from gpu_gotchas.site.knowledge import Entry
from tests.site.samples import URL, case, gotcha, knowledge, result

KNOWN = knowledge()
SM_89 = find_target("sm_89")


def report(by: str, date: str, says: str = "reproduces", *on: str) -> Report:
    return Report(URL, f"github:{by}", date, on, says)


@pytest.mark.parametrize(
    ("changes", "mark"),
    [
        ({}, Mark.MECHANISM),
        ({"subject": Subject.UPSTREAM, "tier": Tier.PACKAGE}, Mark.UPSTREAM),
        ({"tier": Tier.DEVICE, "device": "NVIDIA L4"}, Mark.CARD),
        ({"tier": Tier.LOGIC}, Mark.LOGIC),
    ],
)
def test_a_failure_that_was_shown_marks_its_target(changes: dict[str, object], mark: Mark) -> None:
    entry = Entry(gotcha(), (result("sample-plain", **changes),))
    assert marks(entry, SM_89, KNOWN) == (mark,)


@pytest.mark.parametrize("outcome", [one for one in Outcome if one is not Outcome.REPRODUCED])
@pytest.mark.parametrize("probe", list(Probe))
def test_nothing_but_a_reproduced_failure_proves(outcome: Outcome, probe: Probe) -> None:
    entry = Entry(gotcha(), (result("sample-plain", outcome=outcome, probe=probe),))
    assert marks(entry, SM_89, KNOWN) == (Mark.CLAIMED,)


def test_a_clean_control_says_so_and_a_target_without_a_word_says_nothing() -> None:
    entry = Entry(
        gotcha(), (result("sample-plain", target="sm_90", role=Role.CONTROL, outcome=Outcome.CONTROL_CLEAN),)
    )
    assert marks(entry, find_target("sm_90"), KNOWN) == (Mark.CLEAN,)
    assert marks(entry, find_target("sm_75"), KNOWN) == ()


def test_a_report_marks_the_target_of_its_card() -> None:
    entry = Entry(gotcha(reports=(report("a", "2026-01-01", "reproduces", "nvidia-l4"),)))
    assert marks(entry, SM_89, KNOWN) == (Mark.REPORTED,)


def test_who_took_a_report_back_does_not_count() -> None:
    record = gotcha(
        reports=(
            report("a", "2026-01-01", "reproduces", "nvidia-l4"),
            report("a", "2026-02-01", "withdrawn"),
            report("b", "2026-01-01", "reproduces", "nvidia-l40"),
        )
    )
    assert [one.by for one in standing_reports(record)] == ["github:b"]


@pytest.mark.parametrize(
    ("changes", "mark", "shown"),
    [
        ({"tier": Tier.LOGIC}, Mark.LOGIC, Ground.REASONING),
        (
            {"tier": Tier.PACKAGE, "subject": Subject.UPSTREAM, "package": "vllm==0.33.0"},
            Mark.UPSTREAM_CPU,
            Ground.OWN_CODE,
        ),
    ],
)
def test_what_a_cpu_shows_is_known_of_no_target_alone(
    changes: dict[str, object], mark: Mark, shown: Ground
) -> None:
    entry = Entry(gotcha(), (result("sample-plain", target="cpu", **changes),))
    assert marks_on_cpu(entry) == (mark,)
    assert marks(entry, SM_89, KNOWN) == (Mark.CLAIMED,)
    assert ground(entry) is shown


def test_a_record_for_every_card_claims_every_target() -> None:
    everywhere = Entry(gotcha(affects=(case(),)))
    assert {marks(everywhere, target, KNOWN) for target in KNOWN.targets} == {(Mark.CLAIMED,)}


def test_a_proof_rests_on_the_firmest_that_was_shown() -> None:
    compiled = result("sample-plain")
    on_card = result("sample-plain", tier=Tier.DEVICE, device="NVIDIA L4")
    reasoned = result("sample-plain", tier=Tier.LOGIC, target="cpu")
    assert ground(Entry(gotcha(), (reasoned, compiled, on_card))) is Ground.CARD
    assert ground(Entry(gotcha(), (reasoned, compiled))) is Ground.COMPILATION
    assert ground(Entry(gotcha(), (replace(compiled, subject=Subject.UPSTREAM),))) is Ground.COMPILATION
    assert ground(Entry(gotcha())) is None


def test_a_control_on_a_card_is_no_proof_on_a_card() -> None:
    """Where the failure was only compiled, a clean neighbour says nothing of the affected card."""
    control = result(
        "sample-plain", tier=Tier.DEVICE, target="sm_90", device="NVIDIA H200",
        role=Role.CONTROL, outcome=Outcome.CONTROL_CLEAN,
    )  # fmt: skip
    assert ground(Entry(gotcha(), (result("sample-plain"), control))) is Ground.COMPILATION

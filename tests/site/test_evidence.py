"""What counts as known where."""

from __future__ import annotations

import pytest

from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.hardware.conditions import HardwareCondition, NumberRange
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.model import Report
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from gpu_gotchas.site.evidence import Mark, concerns, marks, standing_reports, strikes
from gpu_gotchas.site.knowledge import Entry
from tests.site.samples import URL, case, gotcha, knowledge, nvidia, result

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


def test_a_card_is_struck_when_one_of_its_variants_is() -> None:
    needs_room = gotcha(affects=(case(HardwareCondition(memory=NumberRange.parse(">=16"))),))
    assert strikes(needs_room, KNOWN.gpu_by_id["nvidia-rtx-4060-ti"]) is Truth.YES
    assert strikes(needs_room, KNOWN.gpu_by_id["nvidia-rtx-4060"]) is Truth.NO
    assert strikes(needs_room, KNOWN.gpu_by_id["amd-radeon-780m"]) is Truth.UNKNOWN


def test_what_holds_for_every_card_concerns_none_in_particular() -> None:
    everywhere = Entry(gotcha(affects=(case(),)))
    assert not any(concerns(everywhere, gpu) for gpu in KNOWN.gpus)
    here = Entry(gotcha(affects=(case(nvidia("==8.9")),)))
    assert {gpu.target.name for gpu in KNOWN.gpus if concerns(here, gpu)} == {"sm_89"}


def test_a_report_from_outside_the_range_still_concerns_its_card() -> None:
    entry = Entry(gotcha(reports=(report("a", "2026-01-01", "reproduces", "nvidia-h200"),)))
    assert concerns(entry, KNOWN.gpu_by_id["nvidia-h200"])

"""An upgrade: gone, new, still there, unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpu_gotchas.doctor.situation import Situation
from gpu_gotchas.doctor.upgrade import Change, compare
from gpu_gotchas.hardware.conditions import VersionRange
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.machine import Machine
from tests.doctor.samples import AMPERE, case, gotcha


def change(
    span: VersionRange, before: str, after: str, target: str = "sm_86", **when: tuple[str, ...]
) -> Change | None:
    record = gotcha(case(AMPERE, {"vllm": (span,)}, when=when))
    found = compare([record], [Situation(described_machine(target))], {"vllm": before}, {"vllm": after})
    return found[0].change if found else None


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("0.21.0", "0.33.0", Change.GONE),
        ("0.19.0", "0.21.0", Change.NEW),
        ("0.33.0", "0.21.0", Change.NEW),
        ("0.21.0", "0.22.0", Change.STILL),
        ("0.19.0", "0.33.0", None),
        ("0.21.0", "0.26.0rc1", Change.UNKNOWN),
        ("0.19.0", "0.26.0rc1", Change.UNKNOWN),
    ],
)
def test_changes(before: str, after: str, expected: Change | None) -> None:
    assert change(VersionRange(introduced="0.20.0", fixed="0.26.0"), before, after) is expected


def test_beyond_what_was_looked_at_nothing_is_known() -> None:
    assert change(VersionRange(last_bad="0.33.0"), "0.20.0", "0.34.0") is Change.UNKNOWN


def test_a_card_that_is_not_meant_sees_no_change() -> None:
    assert change(VersionRange(fixed="0.26.0"), "0.20.0", "0.30.0", "sm_90") is None


def test_a_setting_that_is_not_known_leaves_what_versions_say() -> None:
    span = VersionRange(introduced="0.20.0", fixed="0.26.0")
    assert change(span, "0.21.0", "0.33.0", kv_cache_dtype=("fp8",)) is Change.GONE
    assert change(span, "0.21.0", "0.22.0", kv_cache_dtype=("fp8",)) is Change.STILL


def test_new_comes_first() -> None:
    span, later = VersionRange(fixed="0.26.0"), VersionRange(introduced="0.30.0")
    records = [gotcha(case(AMPERE, {"vllm": (one,)}), id=id) for id, one in (("old", span), ("new", later))]
    found = compare(records, [Situation(described_machine("sm_86"))], {"vllm": "0.20.0"}, {"vllm": "0.33.0"})
    assert [(one.after.gotcha.id, one.change) for one in found] == [("new", Change.NEW), ("old", Change.GONE)]


def test_what_hangs_on_another_package_s_version_is_left_out() -> None:
    span = VersionRange(fixed="0.26.0")
    of_vllm = gotcha(case(AMPERE, {"vllm": (span,)}), id="of-vllm")
    of_both = gotcha(case(AMPERE, {"vllm": (span,)}), case(AMPERE, {"sglang": (span,)}), id="of-both")
    of_none = gotcha(case(AMPERE), id="of-none")
    sides = ({"sglang": "0.5.6"}, {"sglang": "0.5.9"})

    def ids(machine: Machine) -> set[str]:
        found = compare([of_vllm, of_both, of_none], [Situation(machine)], *sides)
        return {one.after.gotcha.id for one in found}

    machine = described_machine("sm_86")
    assert ids(machine) == {"of-both", "of-none"}
    with_vllm = replace(machine, software={"vllm": "0.20.0"})
    assert ids(with_vllm) == {"of-vllm", "of-both", "of-none"}, "known, so still there"


def test_what_a_release_pins_is_asked_too() -> None:
    record = gotcha(case(AMPERE, {"triton": (VersionRange(last_bad="3.5.0"),)}))
    (one,) = compare([record], [Situation(described_machine("sm_86"))], {"vllm": "0.9.0"}, {"vllm": "0.24.0"})
    assert one.change is Change.UNKNOWN

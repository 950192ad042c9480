"""Version ranges: final releases are decided, builds near an end and what nobody tried are unknown."""

from __future__ import annotations

import pytest
from hypothesis import given

from gpu_gotchas.hardware.conditions import VersionRange, software_holds
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth
from tests.hardware.strategies import RELEASES, version_ranges

FIXED = VersionRange(introduced="0.20.0", fixed="0.33.0")
LAST_BAD = VersionRange(introduced="0.20.0", last_bad="0.33.0")
YES, NO, UNKNOWN = Truth.YES, Truth.NO, Truth.UNKNOWN


@pytest.mark.parametrize(
    ("version", "fixed", "last_bad"),
    [
        ("0.19.1", NO, NO),
        ("0.20.0", YES, YES),
        ("0.20", YES, YES),
        ("0.20.0+cu126", YES, YES),
        ("0.33.0+cpu", NO, YES),
        ("0.32.4", YES, YES),
        ("0.33.0", NO, YES),
        ("0.33.0.post1", NO, UNKNOWN),
        ("0.34.0", NO, UNKNOWN),
        ("1.0.0", NO, UNKNOWN),
        ("0.2.0", NO, NO),
    ],
)
def test_releases(version: str, fixed: Truth, last_bad: Truth) -> None:
    assert FIXED.holds(version) is fixed
    assert LAST_BAD.holds(version) is last_bad


@pytest.mark.parametrize(
    ("version", "answer"),
    [
        ("0.20.0rc1", UNKNOWN),
        ("0.19.1rc1.dev5+g1a2b3c4", UNKNOWN),
        ("0.21.0.dev7", UNKNOWN),
        ("0.32.1+fork", UNKNOWN),
        ("0.34.0a0+nv25.3", UNKNOWN),
        ("1.0.0.dev1", UNKNOWN),
        ("0.18.0rc1", NO),
        ("0.22.0rc1", YES),
        ("0.25.1+fork", YES),
        ("0.35.0rc1", NO),
        ("1.1.0rc1", NO),
        ("2.0.0rc1", NO),
    ],
)
def test_a_build_that_is_no_release_is_unknown_near_an_end(version: str, answer: Truth) -> None:
    assert FIXED.holds(version) is answer


def test_before_a_new_major_the_last_minor_is_not_known() -> None:
    range_ = VersionRange(fixed="2.0.0")
    assert range_.holds("1.7.0rc1") is UNKNOWN
    assert range_.holds("1.7.0") is YES
    assert range_.holds("2.2.0rc1") is NO


@pytest.mark.parametrize("version", [None, "", "mystery", "0.20.?", "1" * 300])
def test_no_version_is_unknown(version: str | None) -> None:
    assert FIXED.holds(version) is UNKNOWN


def test_drivers_and_open_ends() -> None:
    assert VersionRange(fixed="580.65.06").holds("570.211.01") is YES
    assert VersionRange(introduced="12.8").holds("13.0") is YES
    assert VersionRange().holds("0.1") is YES


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        ({"introduced": "0.20.0rc1"}, "no final release"),
        ({"fixed": "0.20.0+cu126"}, "no final release"),
        ({"last_bad": "v0.20"}, "no final release"),
        ({"introduced": 0.2}, "quoted"),
        ({"fixed": "0.3", "last_bad": "0.2"}, "not both"),
        ({"introduced": "0.3", "fixed": "0.3.0"}, "range is empty"),
        ({"introduced": "0.10", "fixed": "0.9"}, "range is empty"),
        ({"introduced": "0.3", "last_bad": "0.2"}, "range is empty"),
        ({"introduced": "0.3.post1", "last_bad": "0.3"}, "range is empty"),
    ],
)
def test_a_wrong_range_says_what_would_be_right(ends: dict[str, str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        VersionRange(**ends)


@given(version_ranges())
def test_over_releases_in_order_a_range_is_one_stretch(range_: VersionRange) -> None:
    answers = "".join({YES: "y", NO: "n", UNKNOWN: "u"}[range_.holds(release)] for release in RELEASES)
    bad = answers.strip("n") if range_.last_bad is None else answers.lstrip("n").rstrip("u")
    assert bad == "y" * len(bad) != ""
    assert ("u" in answers) <= (range_.last_bad is not None)


def test_what_a_machine_has() -> None:
    machine = Machine(software={"flashinfer-python": "0.25.0", "vllm": None, "torch": "odd"})
    assert software_holds([FIXED], machine, "flashinfer_python") is YES
    assert software_holds([VersionRange(fixed="0.2.0"), FIXED], machine, "FlashInfer.Python") is YES
    assert software_holds([VersionRange(fixed="0.2.0")], machine, "flashinfer-python") is NO
    assert software_holds([FIXED], machine, "vllm") is NO
    assert software_holds([FIXED], machine, "torch") is UNKNOWN
    assert software_holds([FIXED], machine, "sglang") is UNKNOWN
    assert software_holds([], machine, "torch") is YES
    assert software_holds([], machine, "vllm") is NO


@pytest.mark.parametrize(
    ("version", "answer"),
    [
        ("0.19.x", Truth.NO),
        ("0.20.x", Truth.YES),
        ("0.25.x", Truth.YES),
        ("0.26.x", Truth.UNKNOWN),
        ("0.27.x", Truth.NO),
        ("0.x", Truth.UNKNOWN),
        ("1.x", Truth.NO),
        ("0.1.dev17308", Truth.UNKNOWN),
        ("0.1.dev1+g0123abc", Truth.UNKNOWN),
        ("0.0.0.dev1+gabc", Truth.UNKNOWN),
    ],
)
def test_a_line_of_releases_is_unknown_where_an_end_lies_in_it(version: str, answer: Truth) -> None:
    assert VersionRange(introduced="0.20.0", fixed="0.26.2").holds(version) is answer

"""From what releases showed to ranges, and to what a record may say of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.hardware.truth import Truth, some
from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.sweeping import Release, Shown, compare, ranges, shown, unsaid
from gpu_gotchas.repro.telling import lacking
from tests.repro.samples import a_result, read_gotcha

BAD, GOOD, ABSENT, UNCLEAR = Shown.BAD, Shown.GOOD, Shown.ABSENT, Shown.UNCLEAR


def releases(*seen: Shown) -> list[Release]:
    return [Release(f"0.{minor}.0", what) for minor, what in enumerate(seen)]


@given(st.lists(st.sampled_from(list(Shown)), max_size=20))
def test_ranges_hold_for_what_failed_and_for_nothing_that_did_not(seen: list[Shown]) -> None:
    listed = releases(*seen)
    found = ranges(listed)
    for release in listed:
        holds = some(range_.holds(release.version) for range_ in found) if found else Truth.NO
        if release.shown is BAD:
            assert holds is Truth.YES
        elif release.shown in (GOOD, ABSENT):
            assert holds is Truth.NO


TABLE: list[tuple[list[Shown], list[VersionRange]]] = [
    ([], []),
    ([GOOD, ABSENT, UNCLEAR], []),
    ([BAD, BAD], [VersionRange(last_bad="0.1.0")]),
    ([UNCLEAR, BAD], [VersionRange(last_bad="0.1.0")]),
    ([ABSENT, BAD, GOOD], [VersionRange("0.1.0", fixed="0.2.0")]),
    ([BAD, UNCLEAR, BAD, UNCLEAR, GOOD], [VersionRange(fixed="0.4.0")]),
    # It comes back.
    (
        [GOOD, BAD, GOOD, BAD, BAD],
        [VersionRange("0.1.0", fixed="0.2.0"), VersionRange("0.3.0", last_bad="0.4.0")],
    ),
    (
        [BAD, GOOD, UNCLEAR, BAD, ABSENT],
        [VersionRange(fixed="0.1.0"), VersionRange("0.3.0", fixed="0.4.0")],
    ),
]


@pytest.mark.parametrize(("seen", "expected"), TABLE)
def test_ranges_of(seen: list[Shown], expected: list[VersionRange]) -> None:
    assert list(ranges(releases(*seen))) == expected


def test_what_a_release_showed_is_what_all_its_targets_showed() -> None:
    bad = a_result(outcome=Outcome.REPRODUCED, target="sm_80")
    good = a_result(outcome=Outcome.FIXED_HERE, target="sm_86")
    lacks = a_result(outcome=Outcome.SKIPPED, reason=lacking("vllm==0.1.0", "no vllm/x.py"))
    assert shown("0.1.0", [bad, bad]).shown is BAD
    assert shown("0.1.0", [good]).shown is GOOD
    assert shown("0.1.0", [lacks]).shown is ABSENT
    assert shown("0.1.0", []).shown is UNCLEAR
    assert shown("0.1.0", [a_result(outcome=Outcome.WRONG_SYMPTOM)]).shown is UNCLEAR
    differ = shown("0.1.0", [bad, good])
    assert differ.shown is UNCLEAR
    assert differ.because == "targets differ: sm_80 bad, sm_86 good"


def test_a_record_is_held_against_what_was_seen(tmp_path: Path) -> None:
    span = {"introduced": "0.1.0", "fixed": "0.3.0"}
    gotcha, _ = read_gotcha(tmp_path, affects=[{"hardware": "any", "software": {"vllm": span}}])
    right = compare(gotcha, "vllm", releases(GOOD, BAD, BAD, GOOD))
    assert right.wrong == right.believed == ()
    assert right.measured == ("vllm introduced 0.1.0", "vllm fixed 0.3.0")
    half = compare(gotcha, "vllm", releases(GOOD, BAD, BAD, ABSENT))
    assert half.wrong == ()
    assert half.believed == ("vllm fixed 0.3.0",)  # what is not there was not fixed
    wrong = compare(gotcha, "vllm", releases(BAD, GOOD, BAD, GOOD, BAD))
    assert wrong.wrong == (
        "vllm 0.0.0 fails, and lies outside the claimed ranges",
        "vllm 0.1.0 does not fail, and lies inside the claimed ranges",
        "vllm 0.4.0 fails, and lies outside the claimed ranges",
    )


def test_a_newer_release_that_fails_is_told_and_one_that_does_not_is_no_fault(tmp_path: Path) -> None:
    span = {"introduced": "0.0.0", "last_bad": "0.1.0"}
    gotcha, _ = read_gotcha(tmp_path, affects=[{"hardware": "any", "software": {"vllm": span}}])
    newer = compare(gotcha, "vllm", releases(BAD, BAD, BAD)).wrong
    assert newer == ("vllm 0.2.0 fails, and lies after the claimed ranges",)
    assert compare(gotcha, "vllm", releases(BAD, BAD, GOOD)).wrong == ()


def test_the_oldest_that_was_asked_starts_nothing(tmp_path: Path) -> None:
    span = {"introduced": "0.1.0", "fixed": "0.3.0"}
    gotcha, _ = read_gotcha(tmp_path, affects=[{"hardware": "any", "software": {"vllm": span}}])
    oldest = compare(gotcha, "vllm", releases(GOOD, BAD, BAD, GOOD)[1:])
    assert oldest.believed == ("vllm introduced 0.1.0",)
    blind = compare(gotcha, "vllm", releases(UNCLEAR, BAD, BAD, GOOD))
    assert blind.believed == ("vllm introduced 0.1.0",)
    lacking_it = compare(gotcha, "vllm", releases(ABSENT, BAD, BAD, GOOD))
    assert lacking_it.measured == ("vllm introduced 0.1.0", "vllm fixed 0.3.0")


def test_an_end_that_was_not_narrowed_down_is_said() -> None:
    assert unsaid(releases(GOOD, UNCLEAR, BAD, BAD, GOOD), "vllm") == [
        "vllm changes between 0.0.0 and 0.2.0, and 1 between them did not tell"
    ]

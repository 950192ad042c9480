from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpu_gotchas.hardware.conditions import HardwareCondition, VersionRange
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.records.loading import load_all, load_candidates, load_gotcha
from gpu_gotchas.records.model import Basis, Bound, Claim, ControlAxis, Status
from gpu_gotchas.records.problems import RecordErrors
from tests.records.samples import CANDIDATE, DROP, GOOD, changed, to_yaml, write_candidates, write_record


def problems_of(tmp_path: Path, text: str) -> list[tuple[int | None, str]]:
    folder = tmp_path / "some-gotcha"
    folder.mkdir(exist_ok=True)
    (folder / "gotcha.yaml").write_text(text, encoding="utf-8", newline="\n")
    with pytest.raises(RecordErrors) as caught:
        load_gotcha(folder)
    assert all(problem.path == folder / "gotcha.yaml" for problem in caught.value.problems)
    return [(problem.line, problem.message) for problem in caught.value.problems]


def line_of(text: str, part: str) -> int:
    (number,) = [n for n, line in enumerate(text.splitlines(), start=1) if part in line]
    return number


def test_a_good_record_is_read_whole(tmp_path: Path) -> None:
    folder = write_record(tmp_path, GOOD)
    gotcha = load_gotcha(folder)
    assert gotcha.id == "fp8-cast-below-sm89"
    assert gotcha.path == folder
    assert gotcha.status is Status.VERIFIED
    assert gotcha.control is ControlAxis.HARDWARE
    assert gotcha.root_cause == "The cast needs an instruction\nthat older cards lack."
    assert gotcha.symptom.signatures[1].basis is Basis.REPORTED
    assert gotcha.symptom.observable is not None
    assert gotcha.symptom.observable.bad == Bound(above=True, value=0.1)
    first, second = gotcha.affects
    assert first.hardware.vendors is not None
    assert [span.text for span in first.hardware.vendors[Vendor.NVIDIA].capabilities] == [
        ">=7.5,<8.0",
        ">=8.0,<8.9",
    ]
    assert first.software["triton"] == (VersionRange("3.0.0", None, "3.7.0", measured=True),)
    assert first.software["torch"] == (VersionRange(),)
    assert first.when == {"kv_cache_dtype": ("fp8", "fp8_e4m3"), "enforce_eager": ("true",)}
    assert second.hardware.vendors is not None
    assert second.hardware.vendors[Vendor.AMD].names == ("gfx90a",)
    assert len(second.software["vllm"]) == 2
    assert gotcha.upstream[0].fixed_in is None


def test_places_have_lines(tmp_path: Path) -> None:
    gotcha = load_gotcha(write_record(tmp_path, GOOD))
    text = to_yaml(GOOD)
    assert gotcha.lines["status"] == line_of(text, "status: verified")
    assert gotcha.lines["affects[0].when.kv_cache_dtype"] == line_of(text, "kv_cache_dtype:")
    assert gotcha.lines["reports[0].says"] == line_of(text, "says:")


def test_the_smallest_record_is_enough(tmp_path: Path) -> None:
    required = (
        "id",
        "title",
        "status",
        "severity",
        "kind",
        "added",
        "concepts",
        "symptom",
        "root_cause",
        "affects",
    )
    small = {key: GOOD[key] for key in (*required, "reporter_count")}
    gotcha = load_gotcha(write_record(tmp_path, small))
    assert gotcha.workaround == gotcha.fixes == gotcha.history == gotcha.siblings == ()
    assert gotcha.control is None
    assert gotcha.successor is None


def test_hardware_any_and_a_case_without_hardware_ask_for_nothing(tmp_path: Path) -> None:
    data = changed(GOOD, (("affects",), [{"hardware": "any"}, {"platform": ["wsl2"]}]))
    gotcha = load_gotcha(write_record(tmp_path, data))
    assert [case.hardware for case in gotcha.affects] == [HardwareCondition(), HardwareCondition()]


def test_every_problem_is_told_at_once_each_with_its_line(tmp_path: Path) -> None:
    text = to_yaml(
        changed(
            GOOD,
            (("status",), "verifed"),
            (("severty",), "blocker"),
            (("kind",), DROP),
            (("reports", 0, "url"), "http://example.org"),
            (("affects", 0, "hardware", "nvidia", "compute_capability", 0), "8.6 or so"),
            (("reporter_count",), -1),
        )
    )
    found = problems_of(tmp_path, text)
    assert len(found) == 6
    by_line = dict(found)
    assert "did you mean 'verified'?" in by_line[line_of(text, "verifed")]
    assert by_line[line_of(text, "severty")] == "unknown key 'severty'; did you mean 'severity'?"
    assert by_line[line_of(text, "id: fp8")] == "key 'kind' is missing"
    assert "must be an https link" in by_line[line_of(text, "http://")]
    assert by_line[line_of(text, "8.6 or so")].startswith(
        "affects[0].hardware.nvidia.compute_capability[0]: "
    )
    assert "between 0 and" in by_line[line_of(text, "reporter_count")]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "added: '2026-09-01'",
            "added: 2026-09-01",
            'added: 2026-09-01 is a date to YAML: quote it, "2026-09-01"',
        ),
        (
            "introduced: 3.0.0",
            "introduced: 3.0",
            'triton.introduced: 3.0 is a number to YAML: quote it, "3.0"',
        ),
        ("introduced: 3.0.0", "introduced: 3", 'introduced: 3 is a whole number to YAML: quote it, "3"'),
        ("- fp8\n", "- no\n", 'no is more than text to YAML: quote it, "no"'),
        ("severity: blocker", "severity: bad", "severity: must be one of blocker, major, minor, not 'bad'"),
        ("seeds: 3", "seeds: '3'", "seeds: must be a whole number without quotes, not '3'"),
        ("measured: true", "measured: yes", "measured: must be true or false without quotes, not 'yes'"),
        ("introduced: 3.0.0", "introduced: 3.0.0rc1", 'must be a final release such as "0.20.0"'),
        ("fixed: 0.9.0", "fixed: 0.9.0, last_bad: 0.8.5", None),
        ("bad: '>= 0.1'", "bad: about 1", 'must be a bound such as ">= 0.1"'),
        ("bad: '>= 0.1'", "bad: '>= 1e999'", 'must be a bound such as ">= 0.1"'),
        ("{path}:{line:int}", "{path}:{line:number}", "{line:number} is no hole"),
        ("symptom:\n", "symptom: gone\nrest:\n", "symptom: must be a mapping with summary"),
    ],
)
def test_a_mistake_says_what_would_be_right(tmp_path: Path, old: str, new: str, message: str | None) -> None:
    text = to_yaml(GOOD)
    assert text.count(old) >= 1
    found = problems_of(tmp_path, text.replace(old, new, 1))
    assert message is None or any(message in told for _, told in found), found


def test_fixed_and_last_bad_exclude_each_other(tmp_path: Path) -> None:
    data = changed(GOOD, (("affects", 0, "software", "triton", "fixed"), "3.8.0"))
    ((_, message),) = problems_of(tmp_path, to_yaml(data))
    assert "'fixed' or 'last_bad', not both" in message


def test_a_base_is_sorted_and_skips_what_is_no_record(tmp_path: Path) -> None:
    for name in ("b-second", "a-first"):
        write_record(tmp_path, changed(GOOD, (("id",), name)))
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "README.md").write_text("", encoding="utf-8")
    assert [gotcha.id for gotcha in load_all(tmp_path)] == ["a-first", "b-second"]


def test_a_base_tells_the_problems_of_all_its_records(tmp_path: Path) -> None:
    write_record(tmp_path, changed(GOOD, (("id",), "one"), (("kind",), "x")))
    write_record(tmp_path, changed(GOOD, (("id",), "two"), (("severity",), "x")))
    (tmp_path / "three").mkdir()
    with pytest.raises(RecordErrors) as caught:
        load_all(tmp_path)
    assert {problem.path.relative_to(tmp_path).parts[0] for problem in caught.value.problems} == {
        "one",
        "two",
        "three",
    }


def test_a_missing_folder_is_an_error_of_records(tmp_path: Path) -> None:
    with pytest.raises(RecordErrors, match="cannot be listed"):
        load_all(tmp_path / "nowhere")


def test_candidates(tmp_path: Path) -> None:
    other = changed(CANDIDATE, (("id",), "another"), (("claimed",), DROP), (("signatures",), DROP))
    write_candidates(tmp_path, [CANDIDATE, other])
    another, reserved = load_candidates(tmp_path)
    assert (another.id, reserved.id) == ("another", "reserved-region-exposed")
    assert reserved.claimed == Claim(4, "https://example.org/thread/1")
    assert another.claimed is None
    assert another.signatures == ()
    assert reserved.lines["believed"] == line_of(to_yaml([CANDIDATE]), "believed:")


def test_no_candidates_file_means_no_candidates(tmp_path: Path) -> None:
    assert load_candidates(tmp_path) == ()


def test_a_bad_candidate_is_told_with_its_place(tmp_path: Path) -> None:
    write_candidates(tmp_path, [CANDIDATE, changed(CANDIDATE, (("claimed", "number"), "many"))])
    with pytest.raises(RecordErrors, match=r"\[1\]\.claimed\.number: must be a whole number"):
        load_candidates(tmp_path)


@pytest.mark.parametrize("document", ["just text", "[]", "{}", "null", "", "# nothing\n"])
def test_a_document_of_another_kind_is_refused(tmp_path: Path, document: Any) -> None:
    assert problems_of(tmp_path, document)

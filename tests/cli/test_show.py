from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu_gotchas.cli.prose import after_because
from gpu_gotchas.records.loading import load_gotcha
from gpu_gotchas.site.feeds import json_export
from gpu_gotchas.site.knowledge import entry, gather
from tests.cli.conftest import Gotchas

RESULT = {
    "version": 1,
    "gotcha": "sample-fp8e4nv-refused",
    "tier": "compile",
    "target": "sm_86",
    "probe": "bug",
    "role": "affected",
    "subject": "mechanism",
    "outcome": "reproduced",
    "reason": "as claimed",
    "proves": "0" * 8,
    "seconds": 0.1,
    "versions": {},
    "device": None,
    "date": "2026-11-30T12:00:00Z",
    "by": None,
}


def test_a_whole_record_is_shown(gotchas: Gotchas) -> None:
    ran = gotchas("show", "sample-fp8e4nv-refused")
    assert (ran.code, ran.err) == (0, "")
    for text in (
        "Made up for a test.",
        "compute capability <8.9",
        "vllm 0.10.0 to 0.20.0",
        "sample-old-fp8-name",
    ):
        assert text in ran.out


def test_an_older_name_leads_to_it(gotchas: Gotchas) -> None:
    assert gotchas("show", "sample-old-fp8-name").out == gotchas("show", "sample-fp8e4nv-refused").out


def test_proof_is_told_by_tier_and_target(gotchas: Gotchas, checkout: Path) -> None:
    lines = [RESULT, {**RESULT, "target": "sm_80"}, {**RESULT, "probe": "fixed", "outcome": "guarded"}]
    proof = checkout / "gotchas" / "sample-fp8e4nv-refused" / "verified.jsonl"
    proof.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    out = gotchas("show", "sample-fp8e4nv-refused").out
    assert "compile: bug (affected) reproduced for sm_80, sm_86 [mechanism," in " ".join(out.split())
    assert "fixed (affected) guarded for sm_86" in " ".join(out.split())


def test_a_broken_line_of_proof_is_4_with_its_place(gotchas: Gotchas, checkout: Path) -> None:
    proof = checkout / "gotchas" / "sample-fp8e4nv-refused" / "verified.jsonl"
    proof.write_text(json.dumps(RESULT) + "\n{}\n", "utf-8")
    ran = gotchas("show", "sample-fp8e4nv-refused")
    assert ran.code == 4
    assert "verified.jsonl:2: a result line lacks tier, probe" in ran.err


def test_an_unknown_id_is_1_with_a_suggestion(gotchas: Gotchas) -> None:
    ran = gotchas("show", "sample-fp8e4nv-refuse")
    assert (ran.code, ran.out) == (1, "")
    assert "did you mean sample-fp8e4nv-refused" in ran.err


def test_a_withdrawn_record_gives_its_reason_and_no_advice(gotchas: Gotchas) -> None:
    out = gotchas("show", "sample-withdrawn-story").out
    assert "Withdrawn, because its author found a loose cable." in out
    assert "See instead: sample-loose-cable" in out
    assert "What to do" not in out
    assert "Undo what" not in out


@pytest.mark.parametrize(
    ("sentence", "goes_on"),
    [
        ("Its author erred.", "its author erred."),
        ("The kernel is right.", "the kernel is right."),
        ("A cable was loose.", "a cable was loose."),
        ("Triton 3.7 mends it.", "Triton 3.7 mends it."),
        ("FP8 was never used.", "FP8 was never used."),
        ("", ""),
    ],
)
def test_what_follows_because_begins_small_unless_it_is_a_name(sentence: str, goes_on: str) -> None:
    assert after_because(sentence) == goes_on


def test_as_json_it_is_what_the_site_says(gotchas: Gotchas, checkout: Path) -> None:
    ran = gotchas("show", "sample-old-fp8-name", "--json")
    assert (ran.code, ran.err) == (0, "")
    record = load_gotcha(checkout / "gotchas" / "sample-fp8e4nv-refused")
    assert json.loads(ran.out) == json.loads(json_export.record(entry(record)))


def test_a_candidate_as_json_is_what_the_index_says(gotchas: Gotchas, checkout: Path) -> None:
    found = json.loads(gotchas("show", "sample-loose-cable", "--json").out)
    (said,) = json.loads(json_export.index(gather(checkout / "gotchas")))["candidates"]
    assert found == {"version": 1, "licence": "CC0-1.0", **said}


def test_what_is_not_there_is_no_json(gotchas: Gotchas) -> None:
    ran = gotchas("show", "sample-fp8e4nv-refuse", "--json")
    assert (ran.code, ran.out) == (1, "")


def test_a_candidate_says_that_it_is_only_believed(gotchas: Gotchas) -> None:
    ran = gotchas("show", "sample-loose-cable")
    assert ran.code == 0
    assert "candidate: believed, not proven" in ran.out

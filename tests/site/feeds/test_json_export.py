"""What programs read: one form, whole, and no advice that was withdrawn."""

from __future__ import annotations

import json
from dataclasses import fields, replace

from gpu_gotchas.records.model import Gotcha, Status
from gpu_gotchas.repro.probe import Tier
from gpu_gotchas.repro.results import Result
from gpu_gotchas.site.feeds import json_export
from gpu_gotchas.site.knowledge import Entry
from gpu_gotchas.site.outcome_wording import NOTHING_TO_ADD
from tests.site.hostile import FRAGMENTS
from tests.site.samples import DAY, full, hostile, knowledge, result


def test_a_record_is_there_whole() -> None:
    found = json.loads(json_export.record(full()))
    assert found["version"] == 1
    assert found["licence"] == "CC0-1.0"
    assert {one.name for one in fields(Gotcha)} - {"path", "lines"} <= found.keys()
    assert found["affects"][0]["hardware"] == {
        "nvidia": {"compute_capability": [">=8.9,<9.0", ">=12.0,<12.2"]}
    }
    assert found["affects"][0]["software"] == {
        "vllm": [{"introduced": "0.20.0", "last_bad": "0.33.0", "measured": True}]
    }
    assert found["symptom"]["observable"]["bad"] == ">= 5"
    assert found["fixes"][0]["type"] == "planner"


def test_signatures_keep_their_lines() -> None:
    signatures = json.loads(json_export.record(full()))["symptom"]["signatures"]
    assert signatures
    assert all(signature["lines"] for signature in signatures)


def test_results_are_all_there_and_equal_ones_share_a_line() -> None:
    entry = full()
    found = json.loads(json_export.record(entry))
    said = [
        (way["tier"], release, target, one["probe"], one["role"], one["outcome"], way["device"] or "",
         tuple(found["runs"][way["run"]]["versions"].items()),
         found["reasons"][one["reason"]] if "reason" in one else "")
        for way in found["results"]
        for one in way["outcomes"]
        for release in one.get("releases", [""])
        for target in one["targets"]
    ]  # fmt: skip
    held = [
        (one.tier.value, (one.package or "").partition("==")[2], one.target, one.probe.value, one.role.value,
         one.outcome.value, one.device or "", tuple(one.versions.items()),
         "" if one.outcome in NOTHING_TO_ADD else one.reason)
        for one in entry.results
    ]  # fmt: skip
    assert sorted(said) == sorted(held)
    assert sum(len(way["outcomes"]) for way in found["results"]) < len(entry.results)


def test_releases_and_targets_are_kept_apart_where_they_differ() -> None:
    def run(release: str, target: str) -> Result:
        return result("x", tier=Tier.PACKAGE, package=f"vllm=={release}", target=target)

    ran = [run("0.1.0", "sm_89"), run("0.1.0", "sm_120"), run("0.2.0", "sm_89"), run("0.3.0", "sm_89")]
    (way,) = json_export.results(ran)["results"]
    assert [(one["releases"], one["targets"]) for one in way["outcomes"]] == [
        (["0.1.0"], ["sm_89", "sm_120"]),
        (["0.2.0", "0.3.0"], ["sm_89"]),
    ]


def test_status_is_what_results_bear_out() -> None:
    entry = full()
    found = json.loads(json_export.record(replace(entry, proof=None)))
    assert (found["status"], found["claimed_status"], found["proof"]) == ("draft", "verified", None)


def test_the_index_says_the_same_as_each_record() -> None:
    known = knowledge()
    index = json.loads(json_export.index(known))
    assert index["version"] == 1
    assert index["generated"] == DAY
    assert index["licences"]["records"] == "CC0-1.0"
    for brief, entry in zip(index["gotchas"], known.entries, strict=True):
        whole = json.loads(json_export.record(entry))
        shared = brief.keys() & whole.keys()
        assert {key: brief[key] for key in shared} == {key: whole[key] for key in shared}
    assert index["addresses"] == {
        "page": "gotchas/ID/", "json": "gotchas/ID.json", "markdown": "gotchas/ID.md.txt"
    }  # fmt: skip
    assert [one["id"] for one in index["candidates"]] == ["sample-believed"]
    assert "path" not in index["candidates"][0]


def test_withdrawn_advice_is_left_out() -> None:
    entry = full()
    gone = Entry(replace(entry.gotcha, status=Status.RETRACTED, successor="sample-believed"))
    found = json.loads(json_export.record(gone))
    assert "workaround" not in found
    assert "fixes" not in found
    assert found["successor"] == "sample-believed"


def test_any_text_comes_back_as_it_was() -> None:
    for raw in FRAGMENTS:
        said = json_export.record(hostile(raw))
        assert said.isascii()
        assert json.loads(said)["title"] == raw

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu_gotchas.site.feeds import json_export
from gpu_gotchas.site.knowledge import gather
from tests.cli.conftest import Gotchas


def listed(gotchas: Gotchas, *arguments: str) -> list[str]:
    return [entry["id"] for entry in json.loads(gotchas("list", "--json", *arguments).out)["gotchas"]]


def test_without_a_filter_every_record_and_no_candidate(gotchas: Gotchas) -> None:
    found = listed(gotchas)
    assert len(found) == 9
    assert "sample-loose-cable" not in found
    assert found == sorted(found)


def test_json_has_the_names_and_values_that_the_site_has(gotchas: Gotchas, checkout: Path) -> None:
    listed = json.loads(gotchas("list", "--json").out)["gotchas"]
    index = json.loads(json_export.index(gather(checkout / "gotchas")))
    for brief, said in zip(listed, index["gotchas"], strict=True):
        assert said.keys() <= brief.keys()
        assert {key: brief[key] for key in said.keys() & brief.keys()} == {
            key: said[key] for key in said.keys() & brief.keys()
        }
        whole = json.loads(gotchas("show", "--json", said["id"]).out)
        assert (brief["affects"], brief["claimed_status"]) == (whole["affects"], whole["claimed_status"])


def test_a_candidate_in_json_has_the_same_fields(gotchas: Gotchas) -> None:
    (record, *_) = json.loads(gotchas("list", "--json").out)["gotchas"]
    (candidate,) = json.loads(gotchas("list", "--json", "--status", "candidate").out)["gotchas"]
    assert candidate.keys() == record.keys()
    assert (candidate["status"], candidate["severity"]) == ("candidate", None)


def test_a_withdrawn_record_gives_no_advice(gotchas: Gotchas) -> None:
    (found,) = json.loads(gotchas("list", "--json", "--status", "retracted").out)["gotchas"]
    assert found["do"] is None


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("--severity", "blocker"), ["sample-fp8e4nv-refused"]),
        (("--status", "retracted"), ["sample-withdrawn-story"]),
        (("--status", "candidate"), ["sample-loose-cable"]),
        (("--kind", "wrong-result"), ["sample-silent-saturation"]),
        (("--concept", "shared-memory"), ["sample-smem-decode", "sample-smem-gemm"]),
        (("--package", "vLLM"), ["sample-fp8e4nv-refused"]),
        (("--package", "vllm", "--target", "sm_86"), ["sample-fp8e4nv-refused"]),
        (("--package", "vllm", "--target", "8.6"), ["sample-fp8e4nv-refused"]),
        (("--package", "vllm", "--target", "RTX 3090"), ["sample-fp8e4nv-refused"]),
        (("--concept", "shared-memory", "--target", "sm_90"), ["sample-smem-gemm"]),
    ],
)
def test_filters_narrow(gotchas: Gotchas, arguments: tuple[str, ...], found: list[str]) -> None:
    assert listed(gotchas, *arguments) == found


def test_nothing_that_fits_is_1(gotchas: Gotchas) -> None:
    ran = gotchas("list", "--package", "vllm", "--target", "sm_90")
    assert (ran.code, ran.out, ran.err) == (1, "", "No gotcha fits.\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--target", "sm_68"), "did you mean"),
        (("--concept", "shared-memry"), "did you mean shared-memory"),
        (("--status", "verfied"), "did you mean verified"),
        (("--kind", "zzz"), "known are"),
        (("--concept", "zzz"), "known are "),
        (("--package", "vlm"), "did you mean vllm"),
        (("--package", "zzz"), "known are vllm"),
        (("--target", "zzz"), "name it as sm_86, gfx942 or 8.6, or name a GPU"),
    ],
)
def test_a_misspelt_filter_is_2_with_a_suggestion(
    gotchas: Gotchas, arguments: tuple[str, ...], told: str
) -> None:
    ran = gotchas("list", *arguments)
    assert ran.code == 2
    assert told in ran.err

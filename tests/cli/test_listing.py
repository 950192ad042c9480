from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Gotchas


def listed(gotchas: Gotchas, *arguments: str) -> list[str]:
    return [entry["id"] for entry in json.loads(gotchas("list", "--json", *arguments).out)["gotchas"]]


def test_without_a_filter_every_record_and_no_candidate(gotchas: Gotchas) -> None:
    found = listed(gotchas)
    assert len(found) == 9
    assert "sample-loose-cable" not in found
    assert found == sorted(found)


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
    ],
)
def test_a_misspelt_filter_is_2_with_a_suggestion(
    gotchas: Gotchas, arguments: tuple[str, ...], told: str
) -> None:
    ran = gotchas("list", *arguments)
    assert ran.code == 2
    assert told in ran.err

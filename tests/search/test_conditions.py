from __future__ import annotations

from dataclasses import replace

import pytest

from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.loading import load_all
from gpu_gotchas.records.raw_hardware import hardware_condition
from gpu_gotchas.search.conditions import assess, describe_hardware, describe_versions
from gpu_gotchas.search.evidence import machine_with
from gpu_gotchas.search.raw import raw_case
from tests.search.samples import record, write_records

CASE = {
    "hardware": {
        "vendors": {"nvidia": {"capabilities": [">=8.0,<8.9"], "names": []}},
        "shared_memory": None,
        "memory": None,
        "count": None,
        "p2p": None,
    },
    "software": {"vllm": [{"introduced": "0.10.0", "fixed": None, "last_bad": "0.20.0"}]},
    "platform": ["linux"],
    "when": {"kv_cache_dtype": ["fp8", "fp8_e4m3"]},
}
HIT = replace(
    machine_with("sm_86"),
    software={"vllm": "0.15.0"},
    platform={"linux": True},
    settings={"kv_cache_dtype": "fp8"},
)


def test_every_part_must_hold() -> None:
    found = assess([CASE], HIT)
    assert found.truth is Truth.YES
    assert found.agreed[0] == "sm_86: the record is about compute capability >=8.0,<8.9"


@pytest.mark.parametrize(
    "change",
    [
        {"cards": machine_with("sm_90").cards},
        {"software": {"vllm": "0.9.0"}},
        {"software": {"vllm": None}},
        {"platform": {"linux": False}},
        {"settings": {"kv_cache_dtype": "auto"}},
    ],
)
def test_one_part_that_fails_is_told(change: dict[str, object]) -> None:
    found = assess([CASE], replace(HIT, **change))
    assert found.truth is Truth.NO
    assert len(found.disagreed) == 1


@pytest.mark.parametrize("part", ["cards", "software", "platform", "settings"])
def test_what_is_not_known_leaves_it_open(part: str) -> None:
    empty = Machine()
    found = assess([CASE], replace(HIT, **{part: getattr(empty, part)}))
    assert found.truth is Truth.UNKNOWN
    assert found.disagreed == ()


def test_one_case_of_several_is_enough() -> None:
    elsewhere = {**CASE, "software": {"sglang": [{"introduced": None, "fixed": "0.1", "last_bad": None}]}}
    assert assess([elsewhere, CASE], HIT).truth is Truth.YES


def test_no_case_claims_nothing() -> None:
    assert assess([], HIT).truth is Truth.UNKNOWN


def test_a_case_survives_the_way_through_the_index(tmp_path) -> None:
    hardware = {
        "nvidia": {"compute_capability": [">=8.9,<9.0", ">=12.0,<12.2"]},
        "amd": {"gfx": ["gfx90a", "gfx942"]},
        "shared_memory": "<=101376",
        "memory": ">=24",
        "count": ">=2",
        "p2p": False,
    }
    write_records(tmp_path, [record("sample-one", affects=[{"hardware": hardware}])])
    case = load_all(tmp_path)[0].affects[0]
    again = hardware_condition(raw_case(case)["hardware"])
    assert again == case.hardware
    assert again.vendors is not None
    assert set(again.vendors) == {Vendor.NVIDIA, Vendor.AMD}


def test_words_for_people() -> None:
    assert describe_hardware({**CASE["hardware"], "vendors": None}) == "any hardware"
    assert (
        describe_hardware({**CASE["hardware"], "vendors": None, "shared_memory": "<=1"})
        == "shared memory <=1 bytes"
    )
    span = {"introduced": "1.0", "fixed": None, "last_bad": "2.0"}
    assert describe_versions(span) == "1.0 to 2.0"
    assert describe_versions({**span, "fixed": "3.0", "last_bad": None}) == "1.0 to before 3.0"
    assert describe_versions({"introduced": None, "fixed": None, "last_bad": None}) == "every version"

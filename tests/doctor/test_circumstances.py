"""What settings settle of the conditions that records put in words."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.doctor.assess import Assessment, Verdict, assess
from gpu_gotchas.doctor.circumstances import circumstances
from gpu_gotchas.doctor.claims import claim_of
from gpu_gotchas.doctor.setting_truth import InForce
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.loading import load_all
from gpu_gotchas.records.root import root
from gpu_gotchas.records.settings import settings

RECORDS = {one.id: claim_of(one) for one in load_all(root())}


def told(id: str, card: str, settings_: Mapping[str, str], **software: str) -> Assessment:
    machine = described_machine(card)
    return assess(RECORDS[id], Machine(cards=machine.cards, software=software, settings=settings_))


@pytest.mark.parametrize("id", circumstances())
def test_each_belongs_to_a_record_in_words_and_names_settings(id: str) -> None:
    assert any(case.provided for case in RECORDS[id].affects), f"{id} has nothing in words"
    rule = circumstances()[id]
    for name, values in (pair for each in (*rule.enough, rule.needs or {}) for pair in each.items()):
        assert values
        assert all(settings()[name].allows(value) for value in values), name


@pytest.mark.parametrize("id", circumstances())
def test_what_is_enough_has_all_that_is_needed(id: str) -> None:
    rule = circumstances()[id]
    for each in rule.enough:
        for name, values in (rule.needs or {}).items():
            assert set(each[name]) <= set(values)


@given(st.sampled_from(sorted(circumstances())), st.data())
def test_learning_more_only_changes_what_is_unknown(id: str, data: st.DataObject) -> None:
    rule = circumstances()[id]
    names = {name for each in (*rule.enough, rule.needs or {}) for name in each}
    full = {}
    for name in sorted(names):
        named = [v for each in (*rule.enough, rule.needs or {}) for v in each.get(name, ())]
        full[name] = data.draw(st.sampled_from([*named, "something else"]))
    part = {name: value for name, value in full.items() if data.draw(st.booleans())}
    before, after = (rule.truth(InForce(one, {}), settings()) for one in (part, full))
    assert before in (Truth.UNKNOWN, after)


UUID = "cuda-visible-devices-as-uuid"
SHARED = "expandable-vs-custom-ar-ipc"
EXPANDABLE = {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "disable_custom_all_reduce": "false"}
PAIR = {**EXPANDABLE, "spans_gpus": "true", "cards_reach": "true"}
SQUARE = "marlin-fp8-square-weight"
FP8 = {"model_quantization": "fp8"}


@pytest.mark.parametrize(
    ("id", "given_", "verdict"),
    [
        (UUID, {"devices_by_uuid": "true"}, Verdict.WILL),
        (UUID, {"devices_by_uuid": "false"}, Verdict.CANNOT),
        (UUID, {}, Verdict.MAY),
        (SHARED, {**PAIR, "tensor_parallel_size": "2"}, Verdict.WILL),
        # Of more than two vLLM takes it only where each reaches each other by NVLink, which is not asked.
        (SHARED, {**PAIR, "tensor_parallel_size": "4"}, Verdict.MAY),
        (SHARED, {**EXPANDABLE, "spans_gpus": "true"}, Verdict.MAY),
        (SHARED, {**EXPANDABLE, "spans_gpus": "false"}, Verdict.CANNOT),
        (SHARED, {**EXPANDABLE, "spans_gpus": "true", "cards_reach": "false"}, Verdict.CANNOT),
        (SQUARE, {**FP8, "square_layers": "true", "model_weight_format": "fp8"}, Verdict.WILL),
        (SQUARE, {**FP8, "square_layers": "true", "model_weight_format": "fp8_block"}, Verdict.CANNOT),
        (SQUARE, {**FP8, "model_weight_format": "fp8"}, Verdict.MAY),
    ],
)
def test_what_they_come_to(id: str, given_: dict[str, str], verdict: Verdict) -> None:
    assert told(id, "sm_80", given_, vllm="0.19.0").verdict is verdict


def test_only_what_is_open_is_asked() -> None:
    (asked,) = told(SHARED, "sm_90", {**EXPANDABLE, "spans_gpus": "true"}, vllm="0.33.0").open[:1]
    assert "reach each other" in asked
    assert "share a model" not in asked

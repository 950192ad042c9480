"""Launches that use no GPU, several launches, and launches that see some of the cards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.doctor.assess import Assessment, Verdict, assess, assess_all, worst
from gpu_gotchas.doctor.claims import Claim
from gpu_gotchas.doctor.command.launch import read_commands
from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.situation import Situation, situation
from gpu_gotchas.doctor.visible import only_visible
from gpu_gotchas.hardware.conditions import HardwareCondition, NumberRange
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.settings import settings
from tests.doctor import strategies
from tests.doctor.samples import AMPERE, case, fix, gotcha
from tests.hardware import strategies as hardware

DEVICES = st.sampled_from(
    [{}, {"device": "auto"}, {"device": "cuda:1"}, {"device": "cpu"}, {"device": "abacus"}]
    + [{"VLLM_TARGET_DEVICE": name} for name in ("cpu", "rocm", "xpu")]
    + [{"sglang_device": name} for name in ("cpu", "cuda")]
)
ORDER = list(Verdict)


def where(text: str, machine: Machine | None = None, **environment: str) -> list[Situation]:
    facts = Facts(machine or described_machine("sm_86"), environment=environment)
    found = read_commands(("sh", "-c", text), settings())
    return [situation(facts, one, settings()) for one in found]


def verdict(record: Claim, text: str, machine: Machine | None = None, **environment: str) -> Verdict:
    found = where(text, machine, **environment)
    each = [assess_all([record], one.machine, one.defaults, settings()) for one in found]
    return worst(each)[0].verdict


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve m --device cpu",
        "VLLM_TARGET_DEVICE=cpu vllm serve m",
        "vllm serve m --device=xpu",
        "vllm serve m --device tpu",
        "python -m sglang.launch_server --model-path m --device cpu",
        "docker run -e VLLM_TARGET_DEVICE=cpu vllm/vllm-openai:v0.24.0 m",
        "pip install vllm==0.20.0+cpu && vllm serve m",
        "docker run --device /dev/x vllm/vllm-openai-cpu:v0.24.0 m",
    ],
)
def test_a_launch_without_a_gpu_meets_no_fault_of_one(text: str) -> None:
    plain = (
        text.replace("cpu", "cuda").replace("xpu", "cuda").replace("tpu", "cuda").replace("+cuda", "+cu129")
    )
    record = gotcha(case(AMPERE))
    assert verdict(record, plain.replace("openai-cuda", "openai")) is Verdict.WILL
    assert verdict(record, text) is Verdict.CANNOT
    assert verdict(gotcha(case(platform=("linux",))), text) is not Verdict.WILL


def test_a_device_that_nobody_knows_leaves_it_open() -> None:
    assert verdict(gotcha(case(AMPERE)), "vllm serve m --device abacus") is Verdict.MAY


def test_another_engine_s_device_says_nothing() -> None:
    record = gotcha(case(AMPERE))
    assert verdict(record, "VLLM_TARGET_DEVICE=cpu sglang serve --model-path m") is Verdict.WILL


@given(strategies.gotchas(), strategies.machines(), DEVICES, st.data())
def test_learning_more_only_changes_may_on_every_device(
    record: Any, full: Machine, device: dict[str, str], data: st.DataObject
) -> None:
    part = data.draw(strategies.less_known(full))
    before, after = (
        assess(record, replace(one, settings={**one.settings, **device})).verdict for one in (part, full)
    )
    assert before in (Verdict.MAY, after)
    if device.get("device") == "cpu":
        assert after is not Verdict.WILL


@given(strategies.gotchas(), strategies.machines(), st.lists(DEVICES, min_size=1, max_size=3), st.data())
def test_learning_more_only_changes_may_over_several_launches(
    record: Any, full: Machine, devices: list[dict[str, str]], data: st.DataObject
) -> None:
    part = data.draw(strategies.less_known(full))

    def asked(machine: Machine) -> Assessment:
        given = [replace(machine, settings={**machine.settings, **one}) for one in devices]
        return worst([assess_all([record], one) for one in given])[0]

    assert asked(part).verdict in (Verdict.MAY, asked(full).verdict)


@given(st.lists(strategies.gotchas(), max_size=3), st.lists(strategies.machines(), min_size=1, max_size=3))
def test_of_several_launches_the_worst_counts(records: list[Any], machines: list[Machine]) -> None:
    named = [replace(one, id=f"record-{number}") for number, one in enumerate(records)]
    each = [assess_all(named, machine) for machine in machines]
    together = worst(each)
    assert {one.gotcha.id for one in together} == {one.id for one in named}
    for one in together:
        verdicts = [other.verdict for part in each for other in part if other.gotcha.id == one.gotcha.id]
        assert one.verdict is min(verdicts, key=ORDER.index)


def test_one_of_two_servers_is_enough_and_one_engine_does_not_rule_out_the_other() -> None:
    half = gotcha(case(AMPERE, when={"dtype": ("float16",)}))
    both = "vllm serve a --dtype bfloat16 & vllm serve b --dtype half"
    assert verdict(half, "vllm serve a --dtype bfloat16") is Verdict.CANNOT
    assert verdict(half, both) is Verdict.WILL
    sglang = gotcha(case(AMPERE, {"sglang": ()}))
    assert verdict(sglang, "vllm serve a") is Verdict.CANNOT
    assert verdict(sglang, "vllm serve a; sglang serve --model-path b") is Verdict.MAY


def test_a_fix_in_force_for_one_server_does_not_help_the_other() -> None:
    from gpu_gotchas.records.model import FixType

    record = gotcha(case(AMPERE), fixes=(fix("--enforce-eager", FixType.SETTING),))
    found = where("vllm serve a --enforce-eager; vllm serve b")
    each = [assess_all([record], one.machine, one.defaults, settings()) for one in found]
    assert [part[0].bites for part in each] == [False, True]
    assert worst(each)[0].bites


@pytest.mark.parametrize(
    ("text", "cards", "known"),
    [
        ("CUDA_VISIBLE_DEVICES=0,1 vllm serve m", 2, True),
        ("docker run --gpus '\"device=1,3\"' vllm/vllm-openai:v0.24.0 m", 2, True),
        ("docker run --gpus 3 -e CUDA_VISIBLE_DEVICES=0 vllm/vllm-openai:v0.24.0 m", 1, True),
        ("docker run --gpus all vllm/vllm-openai:v0.24.0 m", 8, True),
        ("CUDA_VISIBLE_DEVICES= vllm serve m", 0, True),
        ("NVIDIA_VISIBLE_DEVICES=none vllm serve m", 0, True),
    ],
)
def test_a_launch_sees_the_cards_that_it_names(text: str, cards: int, known: bool) -> None:
    eight = replace(described_machine("sm_90"), cards=described_machine("sm_90").cards * 8)  # type: ignore[operator]
    (one,) = where(text, eight)
    assert (len(one.machine.cards or ()), one.machine.count_known) == (cards, known)


def test_where_it_is_not_known_how_many_there_are_it_stays_so() -> None:
    unknown = replace(described_machine("sm_90"), count_known=False)
    (one,) = where("docker run --gpus '\"device=2,5\"' vllm/vllm-openai:v0.24.0 m", unknown)
    assert (len(one.machine.cards or ()), one.machine.count_known) == (2, False)


@given(st.sampled_from(["sm_86", "sm_90", "gfx942"]), st.integers(1, 4), st.data())
def test_knowing_how_many_cards_there_are_never_overturns_what_a_launch_meets(
    name: str, count: int, data: st.DataObject
) -> None:
    card = described_machine(name).cards or ()
    full = Machine(cards=card * count)
    shown = data.draw(st.lists(st.integers(0, count - 1), min_size=1, unique=True))
    environ = {
        data.draw(st.sampled_from(["NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"])): ",".join(
            map(str, shown)
        )
    }
    condition = data.draw(hardware.hardware_conditions())
    before = condition.on_machine(only_visible(Machine(cards=card, count_known=False), environ))
    after = condition.on_machine(only_visible(full, environ))
    assert before in (Truth.UNKNOWN, after)


def test_two_cards_that_are_seen_are_two() -> None:
    pair = gotcha(case(HardwareCondition(count=NumberRange.parse(">=2"))))
    eight = replace(described_machine("sm_90"), cards=described_machine("sm_90").cards * 8)  # type: ignore[operator]
    assert (
        assess(pair, where("CUDA_VISIBLE_DEVICES=3 vllm serve m", eight)[0].machine).verdict is Verdict.CANNOT
    )

"""The decision: three-valued, explained, and never overturned by learning more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.doctor.assess import Verdict, assess, assess_all
from gpu_gotchas.doctor.conditions import NOT_PROVEN, Kind
from gpu_gotchas.doctor.remedies import FixState
from gpu_gotchas.doctor.said import Said
from gpu_gotchas.doctor.setting_truth import setting_truth
from gpu_gotchas.hardware.conditions import (
    CapabilityRange,
    HardwareCondition,
    NumberRange,
    VendorCondition,
    VersionRange,
)
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.machine import Card, Machine
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.model import ControlAxis, FixType, Severity, Status
from gpu_gotchas.records.settings import settings
from tests.doctor import strategies
from tests.doctor.samples import AMPERE, case, fix, gotcha

RANGES = (VersionRange(introduced="0.20.0", fixed="0.26.0"),)


def machine(target: str = "sm_86", **parts: Any) -> Machine:
    return Machine(cards=described_machine(target).cards, **parts)


@given(st.data())
def test_learning_more_only_changes_may(data: st.DataObject) -> None:
    record = data.draw(strategies.gotchas())
    full = data.draw(strategies.machines())
    before = assess(record, data.draw(strategies.less_known(full)))
    after = assess(record, full)
    assert before.verdict in (Verdict.MAY, after.verdict)


@given(strategies.gotchas(), strategies.machines(), st.data())
def test_what_may_happen_says_what_would_decide_it(record: Any, full: Machine, data: st.DataObject) -> None:
    found = assess(record, data.draw(strategies.less_known(full)))
    assert bool(found.open) == (found.verdict is Verdict.MAY)
    for one in found.cases:
        for part in one.conditions:
            assert bool(part.decide) == (part.truth is Truth.UNKNOWN), part


def test_every_condition_must_hold() -> None:
    record = gotcha(case(AMPERE, {"vllm": RANGES}, ("linux",), {"kv_cache_dtype": ("fp8",)}))
    known = {
        "software": {"vllm": "0.25.1"},
        "platform": {"linux": True},
        "settings": {"kv_cache_dtype": "fp8"},
    }
    assert assess(record, machine(**known)).verdict is Verdict.WILL
    for part, value in (
        ("software", {"vllm": "0.26.0"}),
        ("software", {"vllm": None}),
        ("platform", {"linux": False}),
        ("settings", {"kv_cache_dtype": "auto", "other": "fp8"}),
    ):
        found = assess(record, machine(**{**known, part: value}))
        assert found.verdict is (Verdict.MAY if value.get("kv_cache_dtype") == "auto" else Verdict.CANNOT)
    assert assess(record, machine("sm_89", **known)).verdict is Verdict.CANNOT
    for part in known:
        assert assess(record, machine(**{**known, part: {}})).verdict is Verdict.MAY


def test_one_case_is_enough() -> None:
    record = gotcha(case(when={"dtype": ("float16",)}), case(AMPERE))
    found = assess(record, machine())
    assert found.verdict is Verdict.WILL
    assert found.closest is found.cases[1]


def test_defaults_hold_only_for_what_is_not_set() -> None:
    record = gotcha(case(AMPERE, when={"enforce_eager": ("false",)}))
    assert assess(record, machine()).verdict is Verdict.MAY
    found = assess(record, machine(), {"enforce_eager": "false"})
    assert found.verdict is Verdict.WILL
    assert "(by default)" in found.cases[0].conditions[1].found
    assert assess(
        record, machine(settings={"enforce_eager": "true"}), {"enforce_eager": "false"}
    ).verdict is (Verdict.CANNOT)


def test_a_condition_that_no_setting_names_stays_open() -> None:
    record = gotcha(case(AMPERE), control=ControlAxis.CONDITION)
    found = assess(record, machine())
    assert found.verdict is Verdict.MAY
    assert found.cases[0].conditions[-1].kind is Kind.UNSTATED
    assert assess(record, machine("sm_90")).verdict is Verdict.CANNOT
    named = gotcha(case(AMPERE, when={"dtype": ("float16",)}), control=ControlAxis.CONDITION)
    assert assess(named, machine(settings={"dtype": "half"})).verdict is Verdict.WILL


def test_an_unknown_version_says_why() -> None:
    record = gotcha(case(software={"vllm": (VersionRange(introduced="0.20.0", last_bad="0.33.0"),)}))
    for version, words in (("0.34.0", "newer than 0.33.0"), ("0.33.1rc1", "no final release")):
        (open_,) = assess(record, Machine(software={"vllm": version})).open
        assert words in open_
    (open_,) = assess(record, Machine()).open
    assert "--with vllm==" in open_


def test_how_many_cards_there_are_is_asked_only_where_it_is_known() -> None:
    record = gotcha(case(HardwareCondition(count=NumberRange.parse(">=2"))))
    one = described_machine("sm_90").cards
    assert assess(record, Machine(cards=one)).verdict is Verdict.CANNOT
    assert assess(record, Machine(cards=one, count_known=False)).verdict is Verdict.MAY


@pytest.mark.parametrize(
    ("name", "wanted", "value", "truth"),
    [
        ("dtype", ["half"], "float16", Truth.YES),
        ("dtype", ["bfloat16"], "half", Truth.NO),
        ("dtype", ["auto", "bfloat16"], "auto", Truth.UNKNOWN),
        ("dtype", ["bfloat16"], "auto", Truth.UNKNOWN),
        ("dtype", ["float16", "bfloat16", "float32"], "auto", Truth.YES),
        ("dtype", ["bfloat16"], None, Truth.UNKNOWN),
        ("kv_cache_dtype", ["turboquant_k8v4"], "auto", Truth.NO),
        ("kv_cache_dtype", ["fp8"], "auto", Truth.UNKNOWN),
        ("moe_backend", ["auto"], "auto", Truth.YES),
        ("moe_backend", ["triton"], "auto", Truth.NO),
    ],
)
def test_values(name: str, wanted: list[str], value: str | None, truth: Truth) -> None:
    assert setting_truth(settings()[name], wanted, value) is truth


def test_worst_comes_first_and_the_withdrawn_not_at_all() -> None:
    sure, open_ = case(AMPERE), case(AMPERE, {"vllm": RANGES})
    remedy = (fix("gpu_gotchas.fixes.staged_cast", FixType.KERNEL),)
    found = assess_all(
        [
            gotcha(open_, id="may", severity=Severity.BLOCKER),
            gotcha(sure, id="minor", severity=Severity.MINOR),
            gotcha(sure, id="fixed", severity=Severity.BLOCKER, fixes=remedy),
            gotcha(sure, id="bare", severity=Severity.BLOCKER),
            gotcha(sure, id="gone", status=Status.RETRACTED),
        ],
        machine(),
    )
    assert [one.gotcha.id for one in found] == ["bare", "fixed", "minor", "may"]


@pytest.mark.parametrize(
    ("use", "type", "state", "how"),
    [
        ("gpu_gotchas.fixes.kv_planner.plan", FixType.PLANNER, FixState.AVAILABLE, "import plan"),
        ("vllm>=0.21.0", FixType.UPGRADE, FixState.ACTIVE, "pip install 'vllm>=0.21.0'"),
        ("vllm>=0.34.0", FixType.UPGRADE, FixState.AVAILABLE, "pip install 'vllm>=0.34.0'"),
        ("--dtype half", FixType.SETTING, FixState.ACTIVE, "--dtype half"),
        ("--dtype bfloat16", FixType.SETTING, FixState.AVAILABLE, "--dtype bfloat16"),
        ("--enforce-eager", FixType.SETTING, FixState.ACTIVE, "--enforce-eager"),
        ("VLLM_ROCM_USE_AITER=0", FixType.SETTING, FixState.AVAILABLE, "VLLM_ROCM_USE_AITER=0"),
    ],
)
def test_fixes(use: str, type: FixType, state: FixState, how: str) -> None:
    here = machine(
        software={"vllm": "0.25.1"}, settings={"dtype": "float16", "enforce_eager": "true", "other": "0"}
    )
    found = assess(gotcha(case(AMPERE), fixes=(fix(use, type),)), here)
    assert found.fix is state
    assert how in found.remedies[0].how
    assert found.bites is (state is not FixState.ACTIVE)


def test_without_a_fix() -> None:
    found = assess(gotcha(case(AMPERE)), machine())
    assert (found.fix, found.bites) == (FixState.NONE, True)


def test_a_card_that_is_not_in_the_catalogue_may_be_meant() -> None:
    assert assess(gotcha(case(AMPERE)), Machine(cards=(Card("Mystery", None),))).verdict is Verdict.MAY


@given(strategies.gotchas(), strategies.machines(), st.text(max_size=40))
def test_words_never_change_a_verdict(record: Any, full: Machine, text: str) -> None:
    for said in (Said(text), Said("fp8 hybrid mla vllm triton sample")):
        assert assess(record, full, said=said).verdict is assess(record, full).verdict


def test_what_nobody_asks_for_is_not_likely() -> None:
    record = gotcha(case(AMPERE, {"vllm": RANGES}, when={"TRITON_INTERPRET": ("1",)}))
    found = assess(record, machine(software={"vllm": "0.25.1"}))
    assert (found.verdict, found.likely) == (Verdict.MAY, False)
    known = machine(software={"vllm": "0.25.1"}, settings={"TRITON_INTERPRET": "1"})
    assert assess(record, known).likely


def test_the_more_that_speaks_for_it_the_likelier() -> None:
    record = gotcha(case(AMPERE, {"vllm": RANGES}, when={"model_layers": ("hybrid",)}))
    card, version = machine(), machine(software={"vllm": "0.25.1"})
    steps = [
        assess(record, Machine()),
        assess(record, card),
        assess(record, version),
        assess(record, version, said=Said("Qwen3-Next")),
        assess(record, replace(version, settings={"model_layers": "hybrid"})),
    ]
    assert [one.relevance for one in steps] == sorted(one.relevance for one in steps)
    assert len({one.relevance for one in steps}) == len(steps)
    other = assess(record, version, said=Said("Gemma 3"))
    assert other.relevance < steps[2].relevance, "words may speak for another value"
    assert other.verdict is Verdict.MAY


def test_of_the_likely_those_come_first_that_most_speaks_for() -> None:
    plain, named = case(AMPERE), case(AMPERE, when={"kv_cache_dtype": ("turboquant_k8v4",)})
    records = [
        gotcha(replace(plain, provided="something holds"), id="a-plain"),
        gotcha(replace(named, provided="something holds"), id="b-named"),
    ]
    for said, first in ((Said(""), "a-plain"), (Said("TurboQuant"), "b-named")):
        assert assess_all(records, machine(), said=said)[0].gotcha.id == first


def test_a_backend_for_latent_attention_cannot_meet_another_model() -> None:
    record = gotcha(case(AMPERE, when={"attention_backend": ("TRITON_MLA",)}))
    assert assess(record, machine(settings={"model_attention": "standard"})).verdict is Verdict.CANNOT
    known = assess(record, machine(settings={"model_attention": "mla"}))
    assert known.verdict is Verdict.MAY
    assert known.relevance > assess(record, machine()).relevance
    assert assess(record, machine(settings={"attention_backend": "TRITON_MLA"})).verdict is Verdict.WILL


def test_what_is_reported_is_never_certain() -> None:
    record = replace(gotcha(case(AMPERE)), status=None, severity=None, kind=None)
    found = assess(record, machine())
    assert (found.verdict, found.bites, found.open) == (Verdict.MAY, False, (NOT_PROVEN,))
    assert assess(record, machine("sm_90")).verdict is Verdict.CANNOT


def test_a_draft_never_counts_as_certain() -> None:
    found = assess(gotcha(case(AMPERE), status=Status.DRAFT), machine())
    assert (found.verdict, found.bites, found.likely) == (Verdict.MAY, False, True)
    assert "no run has shown" in " ".join(found.open)


def test_what_must_be_so_and_no_setting_says_keeps_it_open() -> None:
    record = gotcha(replace(case(AMPERE), provided="a kernel works with FP8"))
    found = assess(record, machine())
    assert (found.verdict, found.likely) == (Verdict.MAY, True)
    assert found.open == ("whether a kernel works with FP8: gotchas show sample-one",)
    assert assess(record, machine("sm_90")).verdict is Verdict.CANNOT


def test_a_version_or_a_card_that_everybody_has_speaks_for_nothing() -> None:
    everybody = HardwareCondition(
        {Vendor.NVIDIA: VendorCondition(capabilities=(CapabilityRange.parse(">=7.5"),))}
    )
    for hardware in (None, everybody):
        record = gotcha(replace(case(hardware, {"vllm": RANGES}), provided="something else holds"))
        found = assess(record, machine(software={"vllm": "0.25.1"}))
        assert (found.verdict, found.likely) == (Verdict.MAY, False)


def test_a_record_of_every_card_that_names_no_release_is_never_certain() -> None:
    record = gotcha(case(when={"kv_cache_dtype": ("fp8",)}))
    found = assess(record, machine(settings={"kv_cache_dtype": "fp8"}))
    assert found.verdict is Verdict.MAY
    assert found.open == ("whether your release has it: gotchas show sample-one",)


def test_what_most_get_without_asking_says_little() -> None:
    record = gotcha(case(AMPERE, when={"dtype": ("bfloat16", "float16")}))
    usual, rare = (
        assess(record, machine(settings={"dtype": one})).relevance for one in ("bfloat16", "float16")
    )
    assert usual < rare


def test_a_release_long_after_the_last_that_was_looked_at_is_hardly_meant() -> None:
    record = gotcha(case(AMPERE, {"vllm": (VersionRange("0.4.3", last_bad="0.6.3"),)}))
    near, far = (assess(record, machine(software={"vllm": one})) for one in ("0.7.0", "0.19.0"))
    assert (near.verdict, far.verdict) == (Verdict.MAY, Verdict.MAY)
    assert (near.likely, far.likely) == (True, False)


def test_what_needs_windows_is_not_likely_where_nobody_says_so() -> None:
    record = gotcha(case(AMPERE, platform=("windows",)))
    assert not assess(record, machine()).likely
    assert assess(record, machine(), said=Said("on Windows 11")).likely


def test_a_cache_in_fp8_makes_no_checkpoint_in_fp8() -> None:
    record = gotcha(replace(case(AMPERE), provided="weights are in FP8"))
    cache = Said("", model="m", asked="fp8", aside="fp8")
    weights = Said("", model="m", asked="fp8")
    other = Said("", model="m", asked="gptq")
    found = [assess(record, machine(), said=one).relevance for one in (weights, cache, other)]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 3

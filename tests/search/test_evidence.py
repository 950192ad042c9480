from __future__ import annotations

import pytest

from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.search.evidence import facts, machine_with, merge


def target(*lines: str) -> str | None:
    machine = facts(lines)
    cards = (machine and machine.cards) or ()
    return cards[0].target.name if cards and cards[0].target else None


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("compiling for sm_86", "sm_86"),
        ("gcnArchName: gfx942", "gfx942"),
        ("Compute capability: 8.9", "sm_89"),
        ("GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-1)", "sm_86"),
        ("on my rtx 3090 ti", "sm_86"),
        ("2x RTX 4090, driver 570", "sm_89"),
    ],
)
def test_targets_and_cards_are_read(line: str, name: str) -> None:
    assert target(line) == name


@pytest.mark.parametrize(
    "line",
    [
        "this kernel requires sm_90",
        "needs compute capability 8.9",
        "FP8 is only there on sm_89",
        "supported architectures: sm_80",
        "Required: 147456, Hardware limit: 101376",
        "some RTX 9999 of tomorrow",
        "libsm_86x.so",
    ],
)
def test_needs_and_strangers_are_no_facts(line: str) -> None:
    assert target(line) is None


def test_two_answers_count_as_none() -> None:
    assert target("built for sm_80", "built for sm_90") is None
    assert target("RTX 3090 and RTX 4090") is None
    assert target("RTX 3090", "running as sm_90") is None
    assert target("RTX 3090", "running as sm_86") == "sm_86"


@pytest.mark.parametrize(
    ("line", "package", "version"),
    [
        ("vLLM API server version 0.19.1", "vllm", "0.19.1"),
        ("torch==2.9.0+cu126", "torch", "2.9.0+cu126"),
        ("triton                   3.4.0", "triton", "3.4.0"),
        ("vllm 0.20.0rc1", "vllm", "0.20.0rc1"),
        ("sglang: 0.5.1.post2", "sglang", "0.5.1.post2"),
    ],
)
def test_versions_are_read(line: str, package: str, version: str) -> None:
    machine = facts([line])
    assert machine is not None
    assert machine.software == {package: version}


def test_a_version_that_is_told_twice_differently_is_unknown() -> None:
    assert facts(["vllm 0.19.1", "vllm 0.20.0"]) is None


def test_lines_without_facts_say_nothing() -> None:
    assert facts(["type fp8e4nv not supported in this architecture"]) is None


def test_what_is_known_is_never_overruled() -> None:
    known, read = (
        machine_with("sm_86"),
        Machine(cards=machine_with("sm_90").cards, software={"vllm": "0.19.1"}),
    )
    both = merge(known, read)
    assert both is not None
    assert both.cards == known.cards
    assert both.software == {"vllm": "0.19.1"}
    assert merge(None, None) is None


def test_a_text_that_names_a_card_does_not_say_how_many_there_are() -> None:
    read, asked = facts(["GPU 0: NVIDIA GeForce RTX 3090"]), machine_with("sm_86")
    assert read is not None
    assert not read.count_known
    assert not asked.count_known
    two = Machine(cards=asked.cards)
    filled_up, kept = merge(Machine(), read), merge(two, read)
    assert filled_up is not None
    assert kept is not None
    assert not filled_up.count_known
    assert kept.count_known

"""Reports in words: what is plain is taken, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.doctor.command.launch import read_commands
from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.readers.in_words import read
from gpu_gotchas.doctor.readers.reader import Text, UnreadableFile
from gpu_gotchas.doctor.readers.reading import read_text
from gpu_gotchas.doctor.situation import situation
from gpu_gotchas.records.settings import settings


def facts(text: str) -> Facts:
    return read(Text(text, Path("report.txt")))


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("2x RTX 3090", ["nvidia-rtx-3090"] * 2),
        ("RTX3090 and vllm", ["nvidia-rtx-3090"]),
        ("DGX Spark GB10, compute capability 12.1", ["nvidia-gb10"]),
        ("H100, compute capability 9.0", ["sm_90"]),
        ("RTX 3060 Ti / A6000 class, compute capability 8.6", ["sm_86"]),
        ("8x MI355X", ["amd-mi355x"] * 8),
        ("Strix Halo gfx1151", ["gfx1151"]),
        ("RTX 3090 or RTX 5090", None),
        ("gfx1036|gfx1032", None),
        ("not stated (pre-SM89)", None),
        ("99 KB limit: SM86/89/120", None),
        ("requires .target sm_80 or higher", None),
        ("only supported on compute capability 9.0", None),
        ("24GB, fp16, 100 SMs, Qwen3-8B, w4a16, v0.19", None),
        ("RTX 50xx", None),
    ],
)
def test_cards(text: str, cards: list[str] | None) -> None:
    found = facts(text).machine.cards
    assert (None if found is None else [card.gpu or card.name for card in found]) == cards


@pytest.mark.parametrize(
    ("text", "software"),
    [
        ("vllm 0.19.1, torch 2.7.0 (cu126)", {"vllm": "0.19.1", "torch": "2.7.0"}),
        ("vLLM v0.21.0", {"vllm": "0.21.0"}),
        ("vllm==0.8.5.post1", {"vllm": "0.8.5.post1"}),
        ("torch 2.9.0+cu130", {"torch": "2.9.0+cu130"}),
        ("vllm 0.20 without patches", {"vllm": "0.20.x"}),
        ("vllm 0.8.x", {"vllm": "0.8.x"}),
        ("vllm 0.9.2-era", {"vllm": "0.9.x"}),
        ("triton 3.x", {"triton": "3.x"}),
        ("vllm 0.10/0.11-era", {}),
        ("vllm 0.19.0 and vllm 0.20.0", {}),
        ("torch 2.2+", {}),
        ("vllm V1 on Jetson", {}),
        ("NGC vllm 25.11", {}),
        (
            "driver 580, CUDA 13.0, ROCm 7.2.3",
            {"nvidia-driver": "580.x", "cuda-runtime": "13.0", "rocm": "7.2.3"},
        ),
        ("Python 3.12", {"python": "3.12"}),
        ("myvllm 0.19.1", {}),
    ],
)
def test_versions(text: str, software: dict[str, str]) -> None:
    assert facts(text).machine.software == software


def test_flags_and_variables_that_are_named_are_set_and_no_default_is_taken() -> None:
    where = situation(
        facts("vllm 0.21.0, --kv-cache-dtype turboquant_4bit_nc, NCCL_P2P_DISABLE=1."), None, settings()
    )
    assert where.machine.settings == {"kv_cache_dtype": "turboquant_4bit_nc", "NCCL_P2P_DISABLE": "1"}
    assert where.defaults == {}
    for wish in ("hangs unless NCCL_P2P_DISABLE=1", "works with --enforce-eager", "without --dtype half"):
        assert situation(facts(f"vllm 0.21.0 {wish}"), None, settings()).machine.settings == {}


def test_a_command_is_found() -> None:
    found = facts("On my A10G:\n```\nX=1 vllm serve some/model \\\n  --kv-cache-dtype fp8\n```\nit dies.")
    (words,) = found.commands
    (launch,) = read_commands(words, settings())
    assert (launch.model, launch.settings) == ("some/model", {"kv_cache_dtype": "fp8"})


def test_it_is_the_last_that_is_tried() -> None:
    assert read_text("RTX 3090, vllm 0.19.1", Path("x")).told_by == ("a report in words",)
    assert read_text("vllm==0.19.1\n", Path("x")).told_by == ("requirements or list of packages",)
    with pytest.raises(UnreadableFile, match="a report in words"):
        read_text("nothing of the kind", Path("x"))


@given(
    st.text()
    | st.lists(st.sampled_from(["RTX", "3090", "vllm", "0.1", "--", "sm_", "9", "x", "="])).map(" ".join)
)
def test_any_text_can_be_read(text: str) -> None:
    facts(text)

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
from gpu_gotchas.doctor.store import open_knowledge
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
        ("RTX 3090 or RTX 5090", ["a card of NVIDIA"]),
        ("A100/H100", ["a card of NVIDIA"]),
        ("gfx1036|gfx1032", ["a card of AMD"]),
        ("RX 6700 XT, gfx1031", ["a card of AMD"]),
        ("GTX TITAN X, compute capability 5.2", ["a card of NVIDIA"]),
        ("4x Arc Pro B60", ["a card of INTEL"] * 4),
        ("MI300X or H100", None),
        ("8xH100", ["sm_90"] * 8),
        ("H100x8", ["sm_90"] * 8),
        ("RTX 3090 x2", ["nvidia-rtx-3090"] * 2),
        ("RTX 3090 on PCIe 4.0 x16", ["nvidia-rtx-3090"]),
        ("RTX 3090, Gen4 x8", ["nvidia-rtx-3090"]),
        ("2x3090", ["nvidia-rtx-3090"] * 2),
        ("dual 3090s", ["nvidia-rtx-3090"] * 2),
        ("my 5090 dies", ["nvidia-rtx-5090"]),
        ("line 3090, port 5060, 4090 tokens", None),
        ("two RTX 3090", ["nvidia-rtx-3090"] * 2),
        ("2x RTX 3090 24GB", ["nvidia-rtx-3090"] * 2),
        ("Tesla V100-SXM2-32GB", ["sm_70"]),
        ("DGX Spark", ["nvidia-gb10"]),
        ("Jetson AGX Thor", ["sm_110"]),
        ("Jetson AGX Orin", ["sm_87"]),
        ("Apache Spark 3.5", None),
        ("Strix Halo", ["gfx1151"]),
        ("Colab T4", ["nvidia-t4"]),
        ("g5.xlarge", ["nvidia-a10g"]),
        ("AWS ml.g6e.12xlarge", ["nvidia-l40s"] * 4),
        ("a2-highgpu-1g", ["sm_80"]),
        ("g5.33xlarge, g99.xlarge", None),
        ("GB300", ["nvidia-gb300"]),
        ("8x MI308X", ["amd-mi308x"] * 8),
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
        ("vLLM 0.8.5.post1 docker", {"vllm": "0.8.5.post1"}),
        ("vllm/vllm-openai:v0.21.0", {"vllm": "0.21.0"}),
        ("vllm-openai-rocm v0.21.0", {"vllm": "0.21.0"}),
        ("vllm ~0.9.1", {"vllm": "0.9.x"}),
        ("vLLM (0.9.1)", {"vllm": "0.9.1"}),
        ("torch 2.6.0+cu126.", {"torch": "2.6.0+cu126"}),
        ("NCCL 2.25.1 and 2.27.5", {}),
        ("ROCm 7.0.0 or 7.2.0", {}),
        ("vllm 0.15.1-cu130, 0.16.0-cu130", {}),
        ("CUDA driver 12.8", {}),
        ("nvcc 11.8, torch 2.2.2", {"cuda-toolkit": "11.8", "torch": "2.2.2"}),
        (
            "driver 580, CUDA 13.0, ROCm 7.2.3",
            {"nvidia-driver": "580.x", "cuda-runtime": "13.0", "rocm": "7.2.3"},
        ),
        ("Python 3.12", {"python": "3.12"}),
        ("TensorRT-LLM 0.21.0, TensorRT 10.8.0", {"tensorrt-llm": "0.21.0", "tensorrt": "10.8.0"}),
        (
            "Transformer Engine 1.2.1, TGI 1.0",
            {"transformer-engine": "1.2.1", "text-generation-server": "1.0.x"},
        ),
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


def test_a_version_of_every_package_that_is_spoken_of_is_read_in_words() -> None:
    known = open_knowledge()
    claims = (*known.records, *known.candidates)
    spoken_of = {name for claim in claims for case in claim.affects for name in case.software}
    lost = [name for name in sorted(spoken_of) if facts(f"{name} 1.2.3").machine.software.get(name) is None]
    assert lost == []

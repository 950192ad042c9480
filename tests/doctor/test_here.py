"""This machine: which Python is looked at, which cards are left, and what torch says of them."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpu_gotchas.doctor import here
from gpu_gotchas.doctor.deep import ask_torch, read_answer
from gpu_gotchas.doctor.pythons import Environment, NoPython, chosen, named, told_honestly
from gpu_gotchas.doctor.visible import only_visible
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.records.settings import settings

A, H = described_machine("nvidia-rtx-a5000").cards or (), described_machine("nvidia-h200").cards or ()
M = described_machine("amd-mi300x").cards or ()


def environment(prefix: Path, *packages: str) -> Path:
    folder = prefix / "lib/python3.12/site-packages"
    folder.mkdir(parents=True)
    for package in packages:
        name, version = package.split("==")
        place = folder / f"{name}-{version}.dist-info"
        place.mkdir()
        (place / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    (prefix / "bin").mkdir()
    (prefix / "bin/python").write_text("")
    return prefix


def test_an_environment_is_named_by_its_folder_or_its_python(tmp_path: Path) -> None:
    prefix = environment(tmp_path / "venv", "vllm==0.20.0")
    for path in (prefix, prefix / "bin/python"):
        found = named(path)
        assert found.holds_stack
        assert found.python == str(prefix / "bin/python")
    with pytest.raises(NoPython, match="virtual environment"):
        named(tmp_path)


def test_where_our_own_python_serves_nothing_the_active_one_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serving = environment(tmp_path / "serving", "vllm==0.20.0")
    empty = environment(tmp_path / "empty", "numpy==2.0.0")
    monkeypatch.setattr(sys, "path", [str(empty / "lib/python3.12/site-packages")])
    assert chosen({"VIRTUAL_ENV": str(serving)}).prefix == serving
    assert chosen({"VIRTUAL_ENV": str(empty), "PATH": ""}).prefix is None
    (serving / "bin/vllm").write_text("")
    (serving / "bin/vllm").chmod(0o755)
    assert chosen({"PATH": str(serving / "bin")}).prefix == serving


def test_packages_are_missing_only_where_something_of_the_stack_is_there() -> None:
    looked = Environment(("/x/lib/python3.12/site-packages",), Path("/x"))
    served = Machine(software={"python": "3.11.7", "torch": "2.9.0", "vllm": None, "nvidia-driver": "580.1"})
    assert told_honestly(served, looked).software["vllm"] is None
    assert told_honestly(served, looked).software["python"] == "3.12"
    bare = told_honestly(Machine(software={"torch": None, "vllm": None, "nvidia-driver": "580.1"}), looked)
    assert bare.software == {"nvidia-driver": "580.1"}
    assert "--python" in bare.unknown[0].because


@pytest.mark.parametrize(
    ("cards", "environ", "left"),
    [
        (A * 4, {"CUDA_VISIBLE_DEVICES": "0,2"}, A * 2),
        (A * 4, {"CUDA_VISIBLE_DEVICES": "2,7,1"}, A),
        (A * 4, {"CUDA_VISIBLE_DEVICES": "1,-1,2"}, A),
        (A * 4, {"CUDA_VISIBLE_DEVICES": ""}, ()),
        (A * 4, {"CUDA_VISIBLE_DEVICES": "GPU-1234"}, A),
        (A * 4, {"CUDA_VISIBLE_DEVICES": "GPU-1234, GPU-5678"}, A * 2),
        (A * 4, {"CUDA_VISIBLE_DEVICES": "GPU-1234,GPU-1234"}, A),
        (A * 2, {"CUDA_VISIBLE_DEVICES": "GPU-1,GPU-2,GPU-3"}, A * 2),
        (A + H, {"CUDA_VISIBLE_DEVICES": "GPU-1234"}, None),
        (A + H, {"CUDA_VISIBLE_DEVICES": "GPU-1234,GPU-5678"}, A + H),
        (A * 4, {"CUDA_VISIBLE_DEVICES": "GPU-1234,1"}, None),
        (A * 4, {"CUDA_VISIBLE_DEVICES": "MIG-1,MIG-2"}, None),
        (A * 4, {"CUDA_VISIBLE_DEVICES": "MIG-1234"}, (replace(A[0], mig=True),)),
        (A * 4, {"NVIDIA_VISIBLE_DEVICES": "GPU-1234"}, A),
        (A * 4, {"CUDA_VISIBLE_DEVICES": "card"}, None),
        (A * 4, {}, A * 4),
        (A + H, {"CUDA_VISIBLE_DEVICES": "1"}, None),
        (A + H, {"CUDA_VISIBLE_DEVICES": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}, H),
        (A + H, {"CUDA_VISIBLE_DEVICES": ""}, ()),
        (M * 8, {"HIP_VISIBLE_DEVICES": "0", "CUDA_VISIBLE_DEVICES": "1,2"}, M),
        (A + M, {"CUDA_VISIBLE_DEVICES": "0"}, A + M),
        ((), {"CUDA_VISIBLE_DEVICES": "0"}, ()),
        (None, {"CUDA_VISIBLE_DEVICES": "0"}, None),
    ],
)
def test_visible_cards(cards: Any, environ: dict[str, str], left: Any) -> None:
    found = only_visible(Machine(cards=cards, p2p=True), environ)
    assert found.cards == left
    if cards and left is None:
        assert "GPU" in found.unknown[-1].what


def test_only_variables_that_settings_name_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "this_machine", lambda _: Machine())
    environ = {"VLLM_BATCH_INVARIANT": "1", "HF_TOKEN": "secret", "VLLM_API_KEY": "secret"}
    facts = here.this_machine_facts(Environment(()), settings(), environ)
    assert facts.environment == {"VLLM_BATCH_INVARIANT": "1"}
    assert "secret" not in repr(facts)
    assert not facts.machine.described


def answer(**parts: Any) -> str:
    said = {"torch": "2.9.0+cu130", "cuda": "13.0", "hip": None, "cards": [], "peers": []}
    return "a warning\ngotchas-deep " + json.dumps({**said, **parts}) + "\n"


def test_what_torch_says() -> None:
    row = ["NVIDIA H200", 9, 0, 150_000_000_000, None]
    machine = read_answer(answer(cards=[row, row], peers=[True, True])).machine
    assert [card.gpu for card in machine.cards or ()] == ["nvidia-h200"] * 2
    assert (machine.p2p, machine.software["cuda-runtime"]) == (True, "13.0")
    amd = read_answer(
        answer(hip="7.2.26015-fc", cards=[["AMD Instinct MI300X", 9, 4, 1 << 37, "gfx942:sramecc+"]])
    )
    assert [card.gpu for card in amd.machine.cards or ()] == ["amd-mi300x"]
    assert amd.machine.software["rocm"] == "7.2"
    assert read_answer(answer(peers=[True, False])).machine.p2p is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Segmentation fault",
        "gotchas-deep {",
        "gotchas-deep 3",
        answer(cards=[["x"]]),
        answer(cards=[[1, "a", 2, 3, 4]]),
    ],
)
def test_an_answer_that_is_none_is_unknown(text: str) -> None:
    machine = read_answer(text).machine
    assert machine.cards is None
    assert machine.unknown[0].what == "torch"


def test_what_went_wrong_is_told_in_its_own_words() -> None:
    machine = read_answer(answer(error="RuntimeError: No CUDA GPUs are available")).machine
    assert machine.cards is None
    assert "No CUDA GPUs" in machine.unknown[0].because


def test_a_python_that_hangs_is_left_after_its_time(tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\nsleep 30\n")
    script.chmod(0o755)
    machine = ask_torch(str(script), seconds=0.3).machine
    assert "longer than" in machine.unknown[0].because
    assert "interpreter" in ask_torch(None).machine.unknown[0].because

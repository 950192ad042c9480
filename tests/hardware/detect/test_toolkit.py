"""The toolkit and the assemblers: read from files where they say it, else asked."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from gpu_gotchas.hardware.detect.parallel import together
from gpu_gotchas.hardware.detect.toolkit import find, read
from gpu_gotchas.hardware.detect.tools import Output
from gpu_gotchas.hardware.machine import Unknown

NVCC = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.8, V12.8.93\n"


def tool(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_what_is_written_down_starts_nothing(tmp_path: Path) -> None:
    parts = {"cuda": {"name": "CUDA SDK", "version": "12.8.1"}, "cuda_nvcc": {"version": "12.8.93"}}
    (tmp_path / "version.json").write_text(json.dumps(parts))
    tool(tmp_path / "bin/ptxas", f"touch {tmp_path}/started")
    found = find({"CUDA_HOME": str(tmp_path)}, packages=())
    assert found.software == {"cuda-toolkit": "12.8.1", "ptxas": "12.8.93"}
    assert not (tmp_path / "started").exists()


@pytest.mark.skipif(os.name != "posix", reason="the stand-in for a tool is a shell script")
def test_tools_are_asked(tmp_path: Path) -> None:
    said = "echo 'Cuda compilation tools, release 13.0, V13.0.88'"
    tool(tmp_path / "cuda/bin/nvcc", said)
    tool(tmp_path / "cuda/bin/ptxas", said)
    tool(tmp_path / "site/triton/backends/nvidia/bin/ptxas", said.replace("13.0", "12.8"))
    tool(tmp_path / "site/triton/backends/nvidia/bin/ptxas-blackwell", "echo nothing")
    found = find({}, tmp_path / "cuda", [str(tmp_path / "none"), str(tmp_path / "site")])
    assert found.software == {"cuda-toolkit": "13.0", "ptxas": "13.0.88", "triton-ptxas": "12.8.88"}
    assert [unknown.what for unknown in found.unknown] == ["triton-ptxas-blackwell"]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"cuda": 3}', '{"cuda": {"version": 12}}', "[" * 99999])
def test_a_broken_file_is_no_fault(tmp_path: Path, text: str) -> None:
    (tmp_path / "version.json").write_text(text)
    assert find({"CUDA_HOME": str(tmp_path)}, packages=()).software == {}


def test_the_header_says_the_release(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include/cuda.h").write_text("/* x */\n#define CUDA_VERSION 12080\n")
    tool(tmp_path / "bin/nvcc", f"touch {tmp_path}/started")
    assert find({"CUDA_PATH": str(tmp_path)}, packages=()).software == {"cuda-toolkit": "12.8"}
    assert not (tmp_path / "started").exists()


def test_no_toolkit(tmp_path: Path) -> None:
    assert find({}, tmp_path / "none", ()).software == {}


def test_the_toolkit_s_release_is_not_its_compiler_s_version() -> None:
    assert read("cuda-toolkit", Output(NVCC, 0)) == "12.8"
    assert read("ptxas", Output(NVCC, 0)) == "12.8.93"
    assert isinstance(read("ptxas", Output("Segmentation fault", 139)), Unknown)


def test_questions_are_asked_together_and_a_fault_is_not_swallowed() -> None:
    assert together({"a": lambda: 1, "b": lambda: 2, "c": lambda: 3}) == {"a": 1, "b": 2, "c": 3}
    assert together({}) == {}
    with pytest.raises(KeyError):
        together({"a": lambda: 1, "b": lambda: {}["missing"]})


def test_here() -> None:
    found = find(packages=sys.path)
    assert all(version is None or version[:1].isdigit() for version in found.software.values())

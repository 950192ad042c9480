"""Files that pin versions: markers, indexes of wheels, lock files, conda, scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.readers.reading import read_text


def read(text: str, name: str = "paste.txt") -> Facts:
    return read_text(text, Path(name))


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ('vllm==0.19.1 ; python_version < "3.9"', None),
        ('vllm==0.19.1 ; sys_platform == "win32"', None),
        ('vllm==0.19.1 ; sys_platform == "linux"', "0.19.1"),
        ('vllm==0.19.1 ; python_version < "3.12"', None),
        ("vllm==0.19.1 ; python_version < '3.9'\nvllm==0.20.0 ; python_version >= '3.9'", "0.20.0"),
        ("vllm==0.19.1\nvllm==0.20.0", None),
    ],
)
def test_a_marker_decides_whether_a_pin_counts(line: str, version: str | None) -> None:
    assert read(f"numpy==2.0.0\n{line}\n").machine.software.get("vllm") == version


def test_the_index_of_wheels_tells_their_cuda() -> None:
    text = "--extra-index-url https://download.pytorch.org/whl/cu129\ntorch==2.9.0\nvllm==0.20.0\n"
    assert read(text).machine.software["cuda-runtime"] == "12.9"
    assert "cuda-runtime" not in read(text.replace("torch==2.9.0\nvllm", "numpy")).machine.software


POETRY = """\
[[package]]
name = "vllm"
version = "0.20.0"
markers = "sys_platform == 'linux'"
[[package]]
name = "torch"
version = "2.9.0"
markers = {main = "sys_platform == 'darwin'", dev = "sys_platform == 'win32'"}
"""
PIPFILE = """\
{"_meta": {"hash": {}, "pipfile-spec": 6},
 "default": {"vllm": {"version": "==0.20.0"}, "triton": {"version": "==3.4.0", "markers": "os_name == 'nt'"}},
 "develop": {"torch": {"version": "==2.9.0"}}}
"""
SPLIT = """\
[[package]]
name = "torch"
version = "2.9.0"
resolution-markers = ["sys_platform == 'darwin'"]
[[package]]
name = "torch"
version = "2.9.0+cu129"
resolution-markers = ["sys_platform == 'linux'", "sys_platform == 'win32'"]
"""
CONDA = """\
name: x
channels: [conda-forge]
dependencies:
  - python=3.12
  - pytorch=2.9.0=cuda129_py312
  - conda-forge::numpy 2
  - pip
  - pip:
      - vllm==0.20.0
      - triton==3.4.0 ; sys_platform == "win32"
"""


@pytest.mark.parametrize(
    ("text", "software"),
    [
        (POETRY, {"vllm": "0.20.0"}),
        (PIPFILE, {"vllm": "0.20.0"}),
        (SPLIT, {"torch": "2.9.0+cu129", "cuda-runtime": "12.9"}),
        (CONDA, {"python": "3.12.x", "torch": "2.9.0", "vllm": "0.20.0"}),
        ("#!/bin/bash\npip install vllm==0.19.1\npip install vllm==0.20.0\n", {"vllm": "0.20.0"}),
    ],
    ids=["poetry", "pipfile", "uv-split", "conda", "script"],
)
def test_more_files_that_pin(text: str, software: dict[str, str]) -> None:
    assert read(text).machine.software == software

"""What a command that installs or removes makes of the versions that were there."""

from __future__ import annotations

import shlex

import pytest

from gpu_gotchas.doctor.installs import read_install
from gpu_gotchas.doctor.markers import any_marker, marker_truth
from gpu_gotchas.doctor.readers.pin import pin_of
from gpu_gotchas.hardware.truth import Truth

BEFORE = {"vllm": "0.19.1", "torch": "2.10.0", "cuda-runtime": "12.8"}


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("pip install vllm==0.20.0", {**BEFORE, "vllm": "0.20.0"}),
        ("pip3 install --no-cache-dir -U vllm", {"torch": "2.10.0", "cuda-runtime": "12.8"}),
        ("pip install vllm", BEFORE),
        ("pip install 'vllm>=0.10'", BEFORE),
        ("pip install 'vllm>=0.20,<0.22'", {"torch": "2.10.0", "cuda-runtime": "12.8"}),
        ("python3 -m pip install vllm[audio]==0.20.0", {**BEFORE, "vllm": "0.20.0"}),
        ("uv pip install --system vllm==0.20.0", {**BEFORE, "vllm": "0.20.0"}),
        ("uv add vllm==0.20.0", {**BEFORE, "vllm": "0.20.0"}),
        ("pip uninstall -y vllm flash_attn", {**BEFORE, "vllm": None, "flash-attn": None}),
        ("uv pip uninstall torch", {**BEFORE, "torch": None}),
        ("conda install -y -c pytorch pytorch=2.9.0", {**BEFORE, "pytorch": "2.9.0"}),
        ("pip install torch==2.9.0+cu129", {**BEFORE, "torch": "2.9.0+cu129"}),
        (
            "pip install torch==2.9.0 --index-url https://download.pytorch.org/whl/cu129",
            {**BEFORE, "torch": "2.9.0", "cuda-runtime": "12.9"},
        ),
        (
            "uv pip install vllm==0.20.0 --torch-backend=cu130",
            {**BEFORE, "vllm": "0.20.0", "cuda-runtime": "13.0"},
        ),
        ("pip install numpy==2.0.0 --extra-index-url https://x/cu129", {**BEFORE, "numpy": "2.0.0"}),
        ("pip install 'vllm==0.20.0 ; sys_platform == \"win32\"'", BEFORE),
        ("pip install git+https://github.com/vllm-project/vllm.git@main", BEFORE | {"vllm": "gone"}),
        ("pip install https://x/vllm-0.20.0-cp38-abi3-manylinux1_x86_64.whl", {**BEFORE, "vllm": "0.20.0"}),
        ("pip install -r requirements.txt -c vllm==0.1.0", BEFORE),
    ],
)
def test_versions_after_it(text: str, after: dict[str, str | None]) -> None:
    change = read_install(shlex.split(text))
    assert change is not None
    wanted = {name: version for name, version in after.items() if version != "gone"}
    assert change.applied(BEFORE) == wanted


@pytest.mark.parametrize(
    "text",
    ["pip list", "pip", "", "uv run x", "python x.py install vllm", "apt-get install pip", "python -m"],
)
def test_what_installs_nothing(text: str) -> None:
    assert read_install(shlex.split(text)) is None


def test_what_was_taken_out_may_come_back_with_what_is_put_in() -> None:
    removed = read_install(["pip", "uninstall", "-y", "torch", "vllm"])
    installed = read_install(["pip", "install", "vllm==0.20.0"])
    assert removed is not None
    assert installed is not None
    assert removed.applied(BEFORE) == {"vllm": None, "torch": None, "cuda-runtime": "12.8"}
    assert installed.applied(removed.applied(BEFORE)) == {"vllm": "0.20.0", "cuda-runtime": "12.8"}


@pytest.mark.parametrize(
    ("marker", "truth"),
    [
        ('python_version < "3.9"', Truth.NO),
        ('python_version >= "3.8"', Truth.YES),
        ('python_version < "3.12"', Truth.UNKNOWN),
        ('sys_platform == "win32"', Truth.NO),
        ('sys_platform == "linux" and platform_machine != "aarch64"', Truth.UNKNOWN),
        ('platform_machine == "arm64" and sys_platform == "darwin"', Truth.NO),
        ('extra == "audio"', Truth.UNKNOWN),
        ("no marker at all", Truth.UNKNOWN),
    ],
)
def test_markers(marker: str, truth: Truth) -> None:
    assert marker_truth(marker) is truth
    assert any_marker([marker]) is truth
    assert any_marker([marker, 'os_name == "posix"']) is Truth.YES


@pytest.mark.parametrize(
    ("text", "name", "version", "holds"),
    [
        ("vllm==0.19.1", "vllm", "0.19.1", Truth.YES),
        ("vllm[audio] == 0.19.1  # why", "vllm", "0.19.1", Truth.YES),
        ("vllm==0.19.1 ; python_version < '3.9'", "vllm", "0.19.1", Truth.NO),
        ("vllm (==0.19.1)", "vllm", "0.19.1", Truth.YES),
        ("vllm===0.19.1", "vllm", "0.19.1", Truth.YES),
        ("vllm==0.19.*", "vllm", None, Truth.YES),
        ("vllm>=0.19.1", "vllm", None, Truth.YES),
        ("vllm @ git+https://x/y.git", "vllm", None, Truth.YES),
        ("https://x/torch-2.9.0%2Bcu128-cp312-cp312-linux_x86_64.whl", "torch", "2.9.0+cu128", Truth.YES),
    ],
)
def test_one_requirement(text: str, name: str, version: str | None, holds: Truth) -> None:
    pin = pin_of(text)
    assert pin is not None
    assert (pin.name, pin.version, pin.holds) == (name, version, holds)


@pytest.mark.parametrize("text", ["", "a b", "-r x.txt", "=1", "[x]"])
def test_what_is_no_requirement(text: str) -> None:
    assert pin_of(text) is None

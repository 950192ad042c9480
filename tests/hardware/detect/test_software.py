"""Software: versions from package metadata; not installed is known, unreadable is unknown."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from pathlib import Path

import pytest

from gpu_gotchas.hardware.detect.installed import versions
from gpu_gotchas.hardware.detect.software import find
from gpu_gotchas.hardware.machine import Unknown
from gpu_gotchas.hardware.package_names import PACKAGES


def install(folder: Path, name: str, version: str | None, *, info: str | None = None) -> str:
    """A distribution's metadata, as an installer writes it."""
    place = folder / (info or f"{name.replace('-', '_')}-{version or '0'}.dist-info")
    place.mkdir(parents=True)
    said = "" if version is None else f"Version: {version}\n"
    (place / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\n{said}\nVersion: 9\n")
    return str(folder)


def test_installed_and_not_installed(tmp_path: Path) -> None:
    install(tmp_path, "torch", "2.11.0+cu130")
    folder = install(tmp_path, "pytorch-triton-rocm", "3.5.1")
    found = find(tmp_path / "missing", [folder]).software
    assert found["torch"] == "2.11.0+cu130"
    assert found["triton"] == "3.5.1", "it goes by other names too"
    assert found["vllm"] is None
    assert found["python"] == platform.python_version().rstrip("+").partition("rc")[0]
    assert set(found) == {"python", *PACKAGES}


def test_runtimes(tmp_path: Path) -> None:
    version = tmp_path / "version"
    version.write_text("7.1.1-38\n")
    found = find(version, [install(tmp_path, "nvidia-cuda-runtime-cu12", "12.8.90")]).software
    assert (found["cuda-runtime"], found["rocm"]) == ("12.8", "7.1.1")


def test_metadata_that_says_no_version_is_unknown(tmp_path: Path) -> None:
    finding = find(tmp_path, [install(tmp_path, "vllm", None)])
    assert "vllm" not in finding.software
    assert finding.unknown[0].what == "vllm"


def test_the_first_folder_wins_and_a_missing_one_is_passed_over(tmp_path: Path) -> None:
    first, second = install(tmp_path / "a", "vllm", "0.20.0"), install(tmp_path / "b", "vllm", "0.33.0")
    assert versions(["vllm"], [str(tmp_path / "none"), first, second]) == {"vllm": "0.20.0"}


def test_an_old_egg_info(tmp_path: Path) -> None:
    (tmp_path / "triton-3.2.0-py3.11.egg-info").write_text("Metadata-Version: 1.1\nVersion: 3.2.0\n")
    assert versions(["triton"], [str(tmp_path)]) == {"triton": "3.2.0"}


def test_unreadable_metadata(tmp_path: Path) -> None:
    (tmp_path / "vllm-0.1.dist-info").mkdir()
    (tmp_path / "torch-1.dist-info").mkdir()
    (tmp_path / "torch-1.dist-info/METADATA").write_bytes(b"\xff\x00" * 3000)
    found = versions(["vllm", "torch"], [str(tmp_path)])
    assert all(isinstance(answer, Unknown) for answer in found.values())


@pytest.mark.parametrize("name", ["pytest", "packaging", "hypothesis"])
def test_it_agrees_with_the_standard_library(name: str) -> None:
    assert versions([name], sys.path)[name] == importlib.metadata.version(name)

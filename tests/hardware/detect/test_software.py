"""Software: versions from package metadata; not installed is known, unreadable is unknown."""

from __future__ import annotations

import importlib.metadata
import platform
from pathlib import Path

import pytest

from gpu_gotchas.hardware.detect.software import PACKAGES, find


def pretend(monkeypatch: pytest.MonkeyPatch, installed: dict[str, str | None]) -> None:
    def version(name: str) -> str | None:
        if name not in installed:
            raise importlib.metadata.PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(importlib.metadata, "version", version)


def test_installed_and_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, {"torch": "2.11.0+cu130", "pytorch-triton-rocm": "3.5.1"})
    found = find(tmp_path / "missing").software
    assert found["torch"] == "2.11.0+cu130"
    assert found["triton"] == "3.5.1", "it goes by other names too"
    assert found["vllm"] is None
    assert found["python"] == platform.python_version().rstrip("+").partition("rc")[0]
    assert set(found) == {"python", *PACKAGES}


def test_runtimes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, {"nvidia-cuda-runtime-cu12": "12.8.90"})
    version = tmp_path / "version"
    version.write_text("7.1.1-38\n")
    found = find(version).software
    assert (found["cuda-runtime"], found["rocm"]) == ("12.8", "7.1.1")


def test_metadata_that_says_no_version_is_unknown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, {"vllm": None})
    finding = find(tmp_path)
    assert "vllm" not in finding.software
    assert finding.unknown[0].what == "vllm"

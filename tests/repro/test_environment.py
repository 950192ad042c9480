from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.repro.environment import child_environment


@pytest.mark.parametrize(
    "name",
    [
        "TRITON_INTERPRET",
        "TRITON_OVERRIDE_ARCH",
        "TRITON_CACHE_DIR_EXTRA",
        "HF_TOKEN",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "PYTHONSTARTUP",
        "LD_PRELOAD",
        "CUDA_LAUNCH_BLOCKING",
    ],
)
def test_what_changes_a_probe_or_is_secret_stays_outside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    assert name not in child_environment(tmp_path, cards=True)


def test_what_python_needs_gets_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    needed = {"PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LC_ALL", "CUDA_VISIBLE_DEVICES", "GPU_GOTCHAS_CACHE"}
    for name in needed:
        monkeypatch.setenv(name, "kept")
    kept = child_environment(tmp_path, cards=True)
    assert needed <= {name for name, value in kept.items() if value == "kept"}
    assert kept["TRITON_CACHE_DIR"] == str(tmp_path)


def test_without_cards_it_sees_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    environment = child_environment(tmp_path, cards=False)
    assert environment["CUDA_VISIBLE_DEVICES"] == environment["HIP_VISIBLE_DEVICES"] == ""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu_gotchas.repro.children import Children

_BLOCKED = ("torch", "triton")


@pytest.fixture(scope="session")
def children() -> Iterator[Children]:
    """One nursery for all tests that do not end it."""
    with Children() as shared:
        yield shared


@pytest.fixture
def light(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Children without torch and Triton start in a tenth of the time. Returns a folder they import from."""
    folder = tmp_path_factory.mktemp("light")
    for name in _BLOCKED:
        (folder / f"{name}.py").write_text(f"raise ModuleNotFoundError('not here', name={name!r})\n")
    paths = [str(folder), *(path for path in sys.path if path)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    return folder


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all of pip's world, and a cache of our own."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("GPU_GOTCHAS_CACHE", str(tmp_path / "cache"))
    return folder

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

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu_gotchas.upstream import sites
from tests.upstream import made_up


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The made-up package, faulty, ready to be imported; whatever was patched is as before afterwards."""
    folder = made_up.install(tmp_path / "site")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("GPU_GOTCHAS_CACHE", str(tmp_path / "cache"))
    finders = list(sys.meta_path)
    yield folder
    sys.meta_path[:] = finders
    for name in [name for name in sys.modules if name.partition(".")[0] == "made_up"]:
        del sys.modules[name]
    sites._sites.clear()

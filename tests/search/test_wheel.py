"""The build hook, without building a whole wheel."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import pytest

from gpu_gotchas.search.index import Index
from tests.search.samples import write_samples

PROJECT = Path(__file__).resolve().parents[2]
INDEX = "gpu_gotchas/_data/index.json"


@pytest.fixture
def hook(tmp_path: Path) -> Any:
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("hatch_build", PROJECT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    write_samples(tmp_path / "gotchas")
    shutil.copytree(PROJECT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return module.IndexHook(str(tmp_path), {}, None, None, str(tmp_path), "wheel")


def test_a_wheel_gets_the_index(hook: Any) -> None:
    data: dict[str, Any] = {"force_include": {}}
    hook.initialize("standard", data)
    ((built, place),) = data["force_include"].items()
    assert place == INDEX
    index = Index.read(Path(built))
    assert "sample-page-size" in index.ids
    assert index.stamp is None
    hook.finalize("standard", data, "")
    assert not Path(built).exists()


def test_an_editable_install_gets_none(hook: Any) -> None:
    data: dict[str, Any] = {"force_include": {}}
    hook.initialize("editable", data)
    hook.finalize("editable", data, "")
    assert data == {"force_include": {}}

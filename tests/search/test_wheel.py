"""The build hook, without building a whole wheel."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import pytest

from gpu_gotchas.doctor.knowledge import read_knowledge
from gpu_gotchas.search.index import Index
from tests.search.samples import write_samples

PROJECT = Path(__file__).resolve().parents[2]
INDEX, DOCTOR = "gpu_gotchas/_data/index.json", "gpu_gotchas/_data/doctor.json"


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


def test_a_wheel_gets_what_is_searched_and_what_the_doctor_knows(hook: Any) -> None:
    data: dict[str, Any] = {"force_include": {}}
    hook.initialize("standard", data)
    made = {place: Path(built) for built, place in data["force_include"].items()}
    assert set(made) == {INDEX, DOCTOR}
    index, known = Index.read(made[INDEX]), read_knowledge(made[DOCTOR].read_bytes())
    assert "sample-page-size" in index.ids
    assert "sample-page-size" in known.names
    assert (index.stamp, known.stamp) == (None, None)
    hook.finalize("standard", data, "")
    assert not any(built.exists() for built in made.values())


def test_an_editable_install_gets_none(hook: Any) -> None:
    data: dict[str, Any] = {"force_include": {}}
    hook.initialize("editable", data)
    hook.finalize("editable", data, "")
    assert data == {"force_include": {}}

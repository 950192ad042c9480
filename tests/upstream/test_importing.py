"""Something to do after an import: once it has run, each time, and without importing anything itself."""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path

import pytest

from gpu_gotchas.upstream.importing import AfterImport


def test_it_is_called_once_the_module_has_run_and_not_before(package: Path) -> None:
    seen = []
    hook = AfterImport()
    hook.call("made_up.core", lambda module: seen.append(module.total([1, 2])))
    assert "made_up" not in sys.modules
    assert not seen
    importlib.import_module("made_up.other")
    assert seen == [1]


def test_it_is_called_at_once_for_a_module_that_is_there_and_again_after_a_reload(package: Path) -> None:
    core = importlib.import_module("made_up.core")
    seen = []
    hook = AfterImport()
    hook.call("made_up.core", seen.append)
    assert seen == [core]
    importlib.reload(core)
    assert len(seen) == 2
    hook.stop()
    importlib.reload(core)
    assert len(seen) == 2


def test_the_module_is_as_it_would_be_without_us(package: Path) -> None:
    AfterImport().call("made_up.core", lambda module: None)
    core = importlib.import_module("made_up.core")
    assert "sum(numbers[:-1])" in inspect.getsource(core.total)
    assert core.__spec__.loader is core.__loader__
    assert core.__loader__.get_source("made_up.core")


def test_a_module_that_fails_to_import_is_waited_for_further(package: Path) -> None:
    seen = []
    AfterImport().call("made_up.core", seen.append)
    text = (package / "made_up/core.py").read_text()
    (package / "made_up/core.py").write_text("raise ImportError('not now')")
    with pytest.raises(ImportError):
        importlib.import_module("made_up.core")
    assert not seen
    (package / "made_up/core.py").write_text(text)
    importlib.invalidate_caches()
    importlib.import_module("made_up.core")
    assert len(seen) == 1


def test_two_hooks_on_one_module_both_hear_of_it(package: Path) -> None:
    seen = []
    AfterImport().call("made_up.core", lambda module: seen.append("a"))
    AfterImport().call("made_up.core", lambda module: seen.append("b"))
    importlib.import_module("made_up.core")
    assert sorted(seen) == ["a", "b"]

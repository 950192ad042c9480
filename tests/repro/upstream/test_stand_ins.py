"""Empty extension modules: only those that the wheel lists and the folder lacks, each named."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu_gotchas.repro.upstream import stand_ins
from tests.repro.wheels import record


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "release"
    (folder / "wares").mkdir(parents=True)
    (folder / "wares" / "__init__.py").write_text("")
    info = folder / "wares-1.0.dist-info"
    info.mkdir()
    (info / "RECORD").write_text(record({"wares/__init__.py": "", "wares/_C.abi3.so": "binary"}))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(stand_ins, "_stood_in", [])
    importlib.import_module("wares")
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "wares"]:
        del sys.modules[name]


def test_a_listed_extension_is_empty_and_named_and_any_other_still_lacks(package: Path) -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("wares._C")
    stand_ins.stand_in_for_extensions("wares", "wares")
    module = importlib.import_module("wares._C")
    assert not [name for name in vars(module) if not name.startswith("__")]
    assert stand_ins.stood_in() == ("wares._C",)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("wares._D")


def test_what_a_repro_puts_in_place_is_named(package: Path) -> None:
    module = importlib.import_module("wares")
    stand_ins.stand_in(module, "count", lambda: 7)
    assert module.count() == 7
    assert stand_ins.stood_in() == ("wares.count",)


def test_caches_of_the_package_are_cleared_and_lazy_stubs_left_alone(package: Path) -> None:
    import functools

    module = importlib.import_module("wares")
    calls: list[int] = []
    module.asked = functools.cache(lambda: calls.append(1))

    class Lazy:
        def __getattr__(self, name: str) -> object:
            raise ModuleNotFoundError(name)

    module.lazy = Lazy()
    module.asked()
    stand_ins.clear_caches("wares")
    module.asked()
    assert len(calls) == 2


def test_the_command_line_needs_no_torch_for_it() -> None:
    code = "import sys, gpu_gotchas.repro.runner, gpu_gotchas.repro.fetching; print('torch' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False"

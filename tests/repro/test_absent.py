"""What a release does not have is told from what fails for another reason."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu_gotchas.repro.absent import Absent, absent
from gpu_gotchas.repro.extract import take


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "release"
    (folder / "wares").mkdir(parents=True)
    (folder / "wares" / "__init__.py").write_text("import sys\n")
    (folder / "wares" / "pots.py").write_text("POT = 1\n")
    monkeypatch.syspath_prepend(folder)
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "wares"]:
        del sys.modules[name]


def raised(what: Callable[[], object]) -> BaseException:
    with pytest.raises(BaseException) as caught:
        what()
    return caught.value


ABSENT: dict[str, Callable[[Path], object]] = {
    "a module": lambda _: importlib.import_module("wares.pans"),
    "a name that is imported": lambda _: exec("from wares.pots import PAN"),
    "an attribute of a module": lambda _: importlib.import_module("wares.pots").PAN,
    "a file": lambda folder: (folder / "wares" / "pans.py").read_text(),
    "a function of a file": lambda folder: take(folder / "wares" / "pots.py", ["cook"], {}),
}
OTHER: dict[str, Callable[[Path], object]] = {
    "another package": lambda _: importlib.import_module("no_such_package"),
    "a name of another package": lambda _: exec("from json import cook"),
    "an attribute of an object": lambda _: object().lid,
    "a file elsewhere": lambda folder: (folder.parent / "pans.py").read_text(),
    "a plain error": lambda _: [][0],
}


@pytest.mark.parametrize("what", ABSENT)
def test_what_lacks_in_the_release_is_absent(package: Path, what: str) -> None:
    error = raised(lambda: ABSENT[what](package))
    assert absent(error, str(package))
    assert absent(error, None) is None


@pytest.mark.parametrize("what", OTHER)
def test_the_same_errors_about_something_else_are_not(package: Path, what: str) -> None:
    assert absent(raised(lambda: OTHER[what](package)), str(package)) is None


def test_a_repro_can_say_so_itself(package: Path) -> None:
    assert absent(Absent("has no such option"), str(package)) == "has no such option"

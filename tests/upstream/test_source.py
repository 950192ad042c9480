"""Signatures of code: the same where nothing changed but its looks, another with every other change."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from gpu_gotchas.upstream.patch import Place
from gpu_gotchas.upstream.source import is_loaded_code, signature, source_file
from tests.upstream import made_up
from tests.upstream.made_up import FAULTY, PLACE


def signed(folder: Path, core: str, place: Place = PLACE) -> str | None:
    made_up.install(folder, core)
    return signature(place)


@pytest.mark.parametrize(
    "same",
    [
        FAULTY.replace('"""The sum."""', '"""Another text."""'),
        FAULTY.replace("def total(numbers):", "# A remark.\ndef total(numbers: list[int]) -> int:"),
        "import os\n" + FAULTY,
        FAULTY.replace("numbers[:-1]", "(numbers[ : -1 ])"),
    ],
)
def test_looks_do_not_count(package: Path, same: str) -> None:
    assert signed(package, same) == signed(package, FAULTY)


@pytest.mark.parametrize(
    "other", [made_up.RIGHT, FAULTY.replace("-1", "-2"), FAULTY.replace("(numbers):", "(numbers, start=0):")]
)
def test_every_change_of_behaviour_counts(package: Path, other: str) -> None:
    assert signed(package, other) != signed(package, FAULTY)


def test_what_the_fault_depends_on_counts_as_well(package: Path) -> None:
    wide = Place("made_up.core", "total", ("Shelf.size",))
    assert signed(package, FAULTY.replace("return 1", "return 2"), wide) != signed(package, FAULTY, wide)
    assert signed(package, FAULTY.replace("return 1", "return 2")) == signed(package, FAULTY)


def test_methods_and_variables_are_found_and_what_is_not_there_is_not(package: Path) -> None:
    assert signature(Place("made_up.core", "Shelf.size"))
    assert signature(Place("made_up.core", "FLAG"))
    assert signature(Place("made_up.core", "gone")) is None
    assert signature(Place("made_up.gone", "total")) is None
    assert signature(Place("not_installed_at_all", "total")) is None


def test_a_definition_below_if_or_try_is_found_and_the_last_one_holds(package: Path) -> None:
    body = "    def total(numbers):\n        return 0\n"
    nested = f"try:\n    import nowhere\nexcept ImportError:\n    pass\nelse:\n{body}"
    assert signed(package, nested)
    twice = FAULTY + "\n\ndef total(numbers):\n    return 0\n"
    assert signed(package, twice) == signed(package, "def total(numbers):\n    return 0\n")


def test_code_that_is_loaded_is_told_from_code_that_was_changed(package: Path) -> None:
    core = importlib.import_module("made_up.core")
    assert is_loaded_code(PLACE, core.total)
    assert is_loaded_code(Place("made_up.core", "Shelf.size"), vars(core.Shelf)["size"])
    assert not is_loaded_code(PLACE, lambda numbers: 0)
    # The file was written over after it had been imported, as a stale cache or another patcher leaves it.
    made_up.install(package, made_up.RIGHT)
    assert not is_loaded_code(PLACE, core.total)


@pytest.mark.parametrize("head", ["import os", "try:\n    import os\nexcept ImportError:\n    raise"])
def test_loaded_code_is_known_whatever_the_module_imports(package: Path, head: str) -> None:
    body = "    return os.getenv('X') or os.path.join('a')"
    made_up.install(package, f"{head}\n\ndef total(numbers):\n{body}\n")
    assert is_loaded_code(PLACE, importlib.import_module("made_up.core").total)


def test_looking_at_a_module_does_not_import_it(package: Path) -> None:
    import sys

    assert source_file("made_up.core") == package / "made_up/core.py"
    assert "made_up" not in sys.modules

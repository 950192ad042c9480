from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gpu_gotchas.records.loading import load_gotcha
from gpu_gotchas.repro import fingerprint as module
from gpu_gotchas.repro.fingerprint import fingerprint, module_path
from gpu_gotchas.repro.source import read_repro
from tests.repro.samples import write_gotcha

REPRO = """
'''A made-up fault.'''

import helper
from parts.inner import thing


def bug_logic(target): ...
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A gotcha with modules of its own, and a copy of our fixes that may be edited."""
    package = tmp_path / "gpu_gotchas"
    (package / "fixes").mkdir(parents=True)
    (package / "fixes" / "__init__.py").write_text("")
    (package / "fixes" / "made_up.py").write_text("from gpu_gotchas.fixes import deeper\n")
    (package / "fixes" / "deeper.py").write_text("DEEP = 1\n")
    (package / "fixes" / "other.py").write_text("OTHER = 1\n")
    monkeypatch.setattr(module, "_PACKAGE", package)
    fixes = [{"use": "gpu_gotchas.fixes.made_up", "type": "kernel", "costs": "Nothing.", "risk": "low"}]
    folder = write_gotcha(tmp_path / "gotchas", REPRO, fixes=fixes)
    (folder / "helper.py").write_text("import second\n")
    (folder / "second.py").write_text("SECOND = 1\n")
    (folder / "parts").mkdir()
    (folder / "parts" / "__init__.py").write_text("")
    (folder / "parts" / "inner.py").write_text("thing = 1\n")
    (folder / "unused.py").write_text("UNUSED = 1\n")
    return folder


def of(folder: Path) -> str:
    repro = read_repro(folder)
    assert repro
    return fingerprint(load_gotcha(folder), repro)


def edit(path: Path, old: str = "", new: str = "# edited\n") -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new) if old else text + new)


@pytest.mark.parametrize(
    "file",
    [
        "repro.py",
        "helper.py",
        "second.py",
        "parts/inner.py",
        "../../gpu_gotchas/fixes/made_up.py",
        "../../gpu_gotchas/fixes/deeper.py",
    ],
)
def test_editing_what_ran_changes_it(folder: Path, file: str) -> None:
    before = of(folder)
    edit(folder / file)
    assert of(folder) != before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the widget {word} does not fit", "the gadget {word} does not fit"),
        ("A widget does not fit.", "A widget is too large."),
        ("<8.9", "<9.0"),
        ("control: hardware", "control: condition"),
    ],
)
def test_editing_what_is_claimed_changes_it(folder: Path, old: str, new: str) -> None:
    before = of(folder)
    edit(folder / "gotcha.yaml", old, new)
    assert of(folder) != before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Somebody made it up.", "Nobody knows."),
        ("A made-up fault", "An invented fault"),
        ("severity: minor", "severity: major"),
        ("status: draft", "status: verified"),
        ("do: Nothing.", "do: Something."),
    ],
)
def test_editing_the_rest_of_the_record_does_not(folder: Path, old: str, new: str) -> None:
    before = of(folder)
    edit(folder / "gotcha.yaml", old, new)
    assert of(folder) == before


@pytest.mark.parametrize("file", ["unused.py", "../../gpu_gotchas/fixes/other.py"])
def test_editing_what_did_not_run_does_not(folder: Path, file: str) -> None:
    before = of(folder)
    edit(folder / file)
    assert of(folder) == before


def test_line_ends_do_not_matter(folder: Path) -> None:
    before = of(folder)
    for path in [*folder.rglob("*.py"), folder / "gotcha.yaml"]:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert of(folder) == before


def test_how_yaml_is_laid_out_does_not_matter(folder: Path) -> None:
    before = of(folder)
    edit(folder / "gotcha.yaml", "symptom:\n", "# A comment.\nsymptom:\n")
    assert of(folder) == before


def test_where_things_lie_does_not_matter(folder: Path, tmp_path: Path) -> None:
    before = of(folder)
    elsewhere = tmp_path / "a" / "zzz" / "made-up"
    shutil.copytree(folder, elsewhere)
    assert of(elsewhere) == before


def test_moving_text_from_one_module_to_another_changes_it(folder: Path) -> None:
    before = of(folder)
    (folder / "helper.py").write_text("import second\nSECOND = 1\n")
    (folder / "second.py").write_text("")
    assert of(folder) != before


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("gpu_gotchas.fixes.made_up", "fixes/made_up.py"),
        ("gpu_gotchas.fixes.made_up.plan", "fixes/made_up.py"),
        ("gpu_gotchas.fixes", "fixes/__init__.py"),
        ("gpu_gotchas.nowhere.at_all", None),
    ],
)
@pytest.mark.usefixtures("folder")
def test_modules_are_found_without_importing_them(tmp_path: Path, name: str, file: str | None) -> None:
    assert module_path(name) == (tmp_path / "gpu_gotchas" / file if file else None)

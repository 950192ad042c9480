from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.records import root
from tests.cli.conftest import Gotchas


@pytest.fixture
def sound(checkout: Path) -> Path:
    """The checkout with nothing in it but one withdrawn record, which needs no repro."""
    for folder in (checkout / "gotchas").iterdir():
        if folder.is_dir() and folder.name != "sample-withdrawn-story":
            for file in folder.iterdir():
                file.unlink()
            folder.rmdir()
    record = checkout / "gotchas" / "sample-withdrawn-story" / "gotcha.yaml"
    text = record.read_text("utf-8").replace("added: '2026-11-30'", "added: '2026-11-28'")
    start, end = text.index("workaround:"), text.index("affects:")
    record.write_text(text[:start] + text[end:], "utf-8")
    return record


@pytest.mark.usefixtures("sound")
def test_without_paths_it_says_which_base_it_checked(
    gotchas: Gotchas, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"Checked: the working copy, {Path('CHECKOUT') / 'gotchas'}.\n" in gotchas("check").err
    assert "Checked" not in gotchas("check", str(checkout / "gotchas")).err
    monkeypatch.setattr(root, "is_checkout", lambda: False)
    monkeypatch.chdir(checkout)
    assert "Checked: the installed gotchas, " in gotchas("check").err
    (checkout / "pyproject.toml").write_text('[project]\nname = "gpu-gotchas"\n')
    assert ", and not those of CHECKOUT." in gotchas("check").err


@pytest.mark.usefixtures("sound")
def test_sound_records_are_0(gotchas: Gotchas) -> None:
    ran = gotchas("check")
    assert (ran.code, ran.out) == (0, "")
    assert "1 record checked, no problem." in ran.err


def test_findings_are_1_each_with_file_line_and_rule(gotchas: Gotchas, sound: Path) -> None:
    sound.write_text(sound.read_text("utf-8").replace("status: retracted", "status: verified"), "utf-8")
    ran = gotchas("check")
    assert ran.code == 1
    assert all("gotcha.yaml:" in line and line.endswith("]") for line in ran.out.splitlines())


def test_what_cannot_be_loaded_is_4_and_hides_nothing(gotchas: Gotchas, checkout: Path) -> None:
    record = checkout / "gotchas" / "sample-page-size" / "gotcha.yaml"
    record.write_text(record.read_text("utf-8").replace("severity: major", "severity: mayor"), "utf-8")
    ran = gotchas("check")
    assert ran.code == 4
    assert "sample-page-size/gotcha.yaml:4: severity" in ran.out.replace("\\", "/")
    assert "[repro-exists]" in ran.out


def test_only_what_was_asked_for_is_told(gotchas: Gotchas, checkout: Path) -> None:
    folder = checkout / "gotchas" / "sample-smem-gemm"
    for place in (folder, folder / "gotcha.yaml"):
        ran = gotchas("check", str(place))
        assert ran.code == 1
        assert ran.out
        assert all("sample-smem-gemm" in line for line in ran.out.splitlines())
        assert "1 record checked" in ran.err


def test_a_path_that_is_not_there_is_2(gotchas: Gotchas) -> None:
    assert gotchas("check", "no-such-folder").code == 2

"""Fetching a wheel: whole or not at all, bounded, and never trusted by its folder's name alone."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from gpu_gotchas.repro import fetching
from gpu_gotchas.repro.fetching import fetch_package
from gpu_gotchas.repro.packages import PackageError, find_package
from tests.repro.wheels import wheel

pytestmark = pytest.mark.usefixtures("index")


def test_a_release_is_fetched_unpacked_and_found_again(index: Path, tmp_path: Path) -> None:
    wheel(index, {"made_up/__init__.py": "X = 1\n", "made_up/_C.so": "binary", "made_up/data.json": "{}"})
    with pytest.raises(PackageError, match=r"`gotchas fetch made-up==1\.0` unpacks its source files"):
        find_package("made-up==1.0")
    folder = fetch_package("made-up==1.0")
    assert folder.is_relative_to(tmp_path / "cache")
    assert find_package("made-up==1.0") == folder
    assert (folder / "made_up" / "__init__.py").read_text() == "X = 1\n"
    kept = {path.name for path in folder.rglob("*") if path.is_file()}
    assert kept == {"__init__.py", "data.json", "METADATA", "RECORD"}


def test_what_is_here_is_not_fetched_again(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "_download", lambda _, into: wheel(into, {"made_up.py": ""}))
    folder = fetch_package("made-up==1.0")
    monkeypatch.setattr(fetching, "_download", lambda *_: pytest.fail("it was fetched again"))
    assert fetch_package("made-up==1.0") == folder


@pytest.mark.parametrize("harm", ["emptied", "a file gone", "a file cut", "its list gone"])
def test_half_a_folder_is_not_trusted(index: Path, harm: str) -> None:
    wheel(index, {"made_up/__init__.py": "X = 1\n", "made_up/more.py": "Y = 2\n"})
    folder = fetch_package("made-up==1.0")
    more = folder / "made_up" / "more.py"
    if harm == "emptied":
        for path in [path for path in folder.rglob("*") if path.is_file()]:
            path.unlink()
    elif harm == "a file gone":
        more.unlink()
    elif harm == "a file cut":
        more.write_text("Y")
    else:
        next(folder.glob("*.dist-info/RECORD")).unlink()
    with pytest.raises(PackageError, match="`gotchas fetch made-up==1.0` unpacks it anew"):
        find_package("made-up==1.0")
    assert fetch_package("made-up==1.0") == folder == find_package("made-up==1.0")
    assert more.read_text() == "Y = 2\n"


def test_what_killed_runs_left_goes_and_the_oldest_release_makes_room(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "cache" / "packages"
    long_ago = time.time() - 10 * 24 * 3600
    for age, name in enumerate(["tmpabandoned", "older-1.0", "newer-1.0"]):
        (packages / name).mkdir(parents=True)
        (packages / name / "file.py").write_text(" " * 1000)
        os.utime(packages / name, (long_ago + age, long_ago + age))
    monkeypatch.setattr(fetching, "_LARGEST_CACHE", 1500)
    wheel(index, {"made_up.py": ""})
    fetch_package("made-up==1.0")
    assert {path.name for path in packages.iterdir()} == {"newer-1.0", "made-up-1.0"}


def test_what_cannot_be_had_is_told_in_pips_words(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"made-up==9\.9 cannot be had: .*made-up"):
        fetch_package("made-up==9.9")
    assert list((tmp_path / "cache" / "packages").iterdir()) == []


def from_wheel(monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> Path:
    monkeypatch.setattr(fetching, "_download", lambda _, into: wheel(into, files))
    return fetch_package("made-up==1.0")


@pytest.mark.parametrize("name", ["../evil.py", "../../../evil.py", "/tmp/evil.py", "a/../../evil.py"])
def test_names_that_lead_out_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = from_wheel(monkeypatch, {name: "evil", "made_up.py": "good"})
    assert (folder / "made_up.py").read_text() == "good"
    assert not list(tmp_path.rglob("evil.py"))
    assert not Path("/tmp/evil.py").exists()


def test_too_much_source_is_refused_before_any_of_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_LARGEST_UNPACKED", 2**20)
    with pytest.raises(PackageError, match="holds more than 1 MiB of source"):
        from_wheel(monkeypatch, {f"made_up/{i}.py": " " * 2**18 for i in range(5)})
    assert not list(tmp_path.rglob("*.py"))


def test_what_is_no_wheel_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: str, into: Path) -> Path:
        path = into / "made_up-1.0-py3-none-any.whl"
        path.write_bytes(b"this is no archive")
        return path

    monkeypatch.setattr(fetching, "_download", broken)
    with pytest.raises(PackageError, match="cannot be unpacked"):
        fetch_package("made-up==1.0")
    assert list((tmp_path / "cache" / "packages").iterdir()) == []


def test_a_damaged_wheel_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(_: str, into: Path) -> Path:
        path = wheel(into, {"made_up.py": "abc" * 1000})
        raw = bytearray(path.read_bytes())
        at = raw.index(b"made_up.py") + 30
        raw[at : at + 8] = b"\0" * 8
        path.write_bytes(raw)
        return path

    monkeypatch.setattr(fetching, "_download", damaged)
    with pytest.raises(PackageError, match="cannot be unpacked"):
        fetch_package("made-up==1.0")


def test_a_release_that_was_withdrawn_is_not_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    told = (
        "WARNING: The candidate selected for download or install is a yanked version: 'made-up' candidate\n"
        "Reason for being yanked: broken\n"
    )
    done = subprocess.CompletedProcess([], 0, "", told)
    monkeypatch.setattr(fetching.subprocess, "run", lambda *_, **__: done)
    with pytest.raises(PackageError, match="made-up==1.0 was withdrawn by its authors: broken"):
        fetch_package("made-up==1.0")

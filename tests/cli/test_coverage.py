"""`gotchas coverage`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Gotchas
from tests.fixes.test_arch_coverage import CUBIN, PTX, fat


@pytest.fixture
def library(tmp_path: Path) -> Path:
    file = tmp_path / "pack" / "kernels.abi3.so"
    file.parent.mkdir()
    file.write_bytes(fat([(CUBIN, 80, 0, b"x"), (PTX, 90, 0, b"y")]))
    (tmp_path / "pack" / "plain.so").write_bytes(b"\x7fELF")
    (tmp_path / "pack" / "notes.txt").write_bytes(fat([(CUBIN, 75, 0, b"x")]))
    return file


@pytest.mark.parametrize(
    ("card", "says", "code"),
    [
        ("rtx-3090", "carries machine code for it", 0),
        ("sm_120", "runs from PTX", 0),
        ("8.9", "carries machine code for it", 0),
        ("sm_75", "no code and no PTX for it", 1),
    ],
)
def test_it_answers_for_a_card(gotchas: Gotchas, library: Path, card: str, says: str, code: int) -> None:
    ran = gotchas("coverage", str(library.parent), "--as", card)
    assert (ran.code, says in ran.out) == (code, True)
    assert "plain.so" not in ran.out
    assert "notes.txt" not in ran.out


def test_json(gotchas: Gotchas, library: Path) -> None:
    (one,) = json.loads(gotchas("coverage", str(library), "--as", "sm_86", "--json").out)["files"]
    assert one["targets"] == ["sm_80", "sm_90 (PTX)"]
    assert one["runs_on"] == {"sm_86": "natively"}


def test_what_is_no_file_is_refused_at_once(gotchas: Gotchas, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    ran = gotchas("coverage", str(tmp_path / "pipe"), "--as", "sm_86")
    assert (ran.code, "is no file" in ran.err) == (4, True)


def test_a_package_without_device_code(gotchas: Gotchas) -> None:
    ran = gotchas("coverage", "packaging", "--as", "sm_86")
    assert (ran.code, ran.out.strip()) == (0, "No device code was found.")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["no-such-package"], 4, "neither a file or folder"),
        (["packaging", "--as", "voodoo"], 2, "unknown target"),
        ([], 2, "coverage"),
    ],
)
def test_mistakes_are_said(gotchas: Gotchas, arguments: list[str], code: int, says: str) -> None:
    ran = gotchas("coverage", *arguments)
    assert ran.code == code
    assert says in ran.err

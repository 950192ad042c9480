from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.records.sources import read_source

REPRO = '''"""Shows it."""
import os as operating_system
from a import b, c as d
NEEDS: dict = {"gpus": 1}
raise SystemExit("a repro that was run, not read")
def bug(target): inner = 1
class Helper: x = 1
fixed = bug
'''


def test_a_source_is_read_and_not_run(tmp_path: Path) -> None:
    path = tmp_path / "repro.py"
    path.write_text(REPRO, encoding="utf-8")
    source = read_source(path)
    assert source.fault is None
    assert source.docstring == "Shows it."
    assert source.names == {"operating_system", "b", "d", "NEEDS", "bug", "Helper", "fixed"}
    assert source.needs == {"gpus": 1}


@pytest.mark.parametrize("text", ["NEEDS = dict(gpus=1)", "NEEDS = {**x}", "x = 1", "NEEDS: dict", ""])
def test_needs_that_are_no_literal_are_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "repro.py"
    path.write_text(text, encoding="utf-8")
    assert read_source(path).needs is None


@pytest.mark.parametrize("raw", [b"def (:", b"\x00", b"# coding: nonsense\n", b"\xff\xfe", b"(" * 5000])
def test_what_cannot_be_parsed_is_a_fault_and_no_exception(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "repro.py"
    path.write_bytes(raw)
    assert read_source(path).fault


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    assert "FileNotFoundError" in (read_source(tmp_path / "repro.py").fault or "")

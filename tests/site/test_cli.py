"""`gotchas site DIR`, as it is typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gpu_gotchas.cli.app import run
from tests.site.rendering import ROOT
from tests.site.test_knowledge import RECORD


@pytest.fixture
def records(tmp_path: Path) -> Path:
    folder = tmp_path / "gotchas" / "sample-disk"
    folder.mkdir(parents=True)
    (folder / "gotcha.yaml").write_text(RECORD, "utf-8")
    return tmp_path / "gotchas"


def site(folder: Path, records: Path) -> int:
    return run(["site", str(folder), "--records", str(records), "--docs", str(ROOT / "docs")])


def test_it_writes_a_folder_for_mkdocs(
    tmp_path: Path, records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert site(tmp_path / "out", records) == 0
    assert (tmp_path / "out" / "gotchas" / "sample-disk.md").is_file()
    assert (tmp_path / "out" / "using.md").read_bytes() == (ROOT / "docs" / "using.md").read_bytes()
    assert "pages and" in capsys.readouterr().err


def test_a_folder_of_somebody_else_is_bad_input(
    tmp_path: Path, records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert site(tmp_path, records) == 4
    assert "empty or a new folder" in capsys.readouterr().err


def test_a_broken_record_is_named_with_its_line(
    tmp_path: Path, records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = records / "sample-disk" / "gotcha.yaml"
    path.write_text(RECORD.replace("severity: minor", "severity: awful"), "utf-8")
    assert site(tmp_path / "out", records) == 4
    assert "gotcha.yaml:4:" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_broken_result_is_named_with_its_line(
    tmp_path: Path, records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (records / "sample-disk" / "repro.py").write_text("def bug_logic(target): ...\n", "utf-8")
    (records / "sample-disk" / "verified.jsonl").write_text("{}\n", "utf-8")
    assert site(tmp_path / "out", records) == 4
    assert "verified.jsonl:1:" in capsys.readouterr().err


def test_it_needs_neither_torch_nor_triton_nor_a_posix_system(tmp_path: Path, records: Path) -> None:
    (records / "sample-disk" / "repro.py").write_text("def bug_logic(target): ...\n", "utf-8")
    program = (
        "import sys\n"
        "for name in ('torch', 'triton', 'fcntl', 'resource', 'termios', 'pwd', 'grp', 'mkdocs'):\n"
        "    sys.modules[name] = None\n"
        "from gpu_gotchas.cli.app import run\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    arguments = ["site", str(tmp_path / "out"), "--records", str(records), "--docs", str(ROOT / "docs")]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr

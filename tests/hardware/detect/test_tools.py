"""Running a tool: it ends in time, keeps what it prints within bounds and never raises."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from gpu_gotchas.hardware.detect.tools import Output, run
from gpu_gotchas.hardware.machine import Unknown

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_output_and_status() -> None:
    answer = run(python("import sys; print('café'); print('x', file=sys.stderr); sys.exit(3)"), seconds=60)
    assert isinstance(answer, Output)
    assert answer.status == 3
    assert "caf" in answer.text
    assert "x" not in answer.text


def test_a_missing_tool() -> None:
    answer = run(["no-such-tool-of-any-vendor"])
    assert answer == Unknown("no-such-tool-of-any-vendor", "it is not installed")


def test_a_hang_ends() -> None:
    begin = time.monotonic()
    answer = run(python("import time; time.sleep(600)"), seconds=0.5)
    assert isinstance(answer, Unknown)
    assert "longer than 0.5 s" in answer.because
    assert time.monotonic() - begin < 60


@posix
def test_a_grandchild_that_keeps_the_pipe_open_ends_too() -> None:
    begin = time.monotonic()
    answer = run(["sh", "-c", "sleep 30 & echo started"], seconds=0.5)
    assert isinstance(answer, Unknown)
    assert time.monotonic() - begin < 20


def test_endless_output_ends() -> None:
    answer = run(python("while True: print('y' * 1000)"), seconds=60, limit=10_000)
    assert isinstance(answer, Unknown)
    assert "more than 10000 bytes" in answer.because


@posix
def test_a_file_that_cannot_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "broken-smi"
    tool.write_bytes(b"\x7fELF")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = run(["broken-smi"])
    assert isinstance(answer, Unknown)
    assert "could not be started" in answer.because

"""A checkout that holds the invented records, for commands that run in this process or in a child."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu_gotchas.cli import main
from gpu_gotchas.records import root
from tests.search.samples import write_samples

PROJECT = Path(__file__).resolve().parents[2]


LIMIT = 60.0
"""Seconds after which a child that still runs is killed, so that no test reads from it for ever."""

# Whoever started pytest may have SIGINT ignored, as `nohup … &` does; a child inherits that.
_INTERRUPTIBLE = (
    "import runpy, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "sys.argv[0] = 'gotchas'; runpy.run_module('gpu_gotchas.cli', run_name='__main__')"
)


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Gotchas = Callable[..., Ran]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where records are looked for, as long as the test runs."""
    write_samples(tmp_path / "gotchas")
    (tmp_path / "pyproject.toml").touch()
    shutil.copytree(PROJECT / "schema", tmp_path / "schema")
    monkeypatch.setattr(root, "_base", lambda: tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1796083200")
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def gotchas(checkout: Path, capfd: pytest.CaptureFixture[str]) -> Gotchas:
    """Runs a command in this process."""

    def run(*arguments: str) -> Ran:
        code = main(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = capfd.readouterr()
        return Ran(code, out.replace(str(checkout), "CHECKOUT"), err.replace(str(checkout), "CHECKOUT"))

    return run


@pytest.fixture(scope="session")
def real_checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source with the invented records, for children."""
    base = tmp_path_factory.mktemp("checkout")
    shutil.copytree(PROJECT / "src", base / "src", ignore=shutil.ignore_patterns("__pycache__", "_data"))
    shutil.copytree(PROJECT / "schema", base / "schema")
    (base / "pyproject.toml").touch()
    write_samples(base / "gotchas")
    return base


@pytest.fixture
def child(real_checkout: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts a command in a process of its own, its three streams as pipes. It ends after LIMIT at most."""
    started: list[tuple[subprocess.Popen[bytes], threading.Timer]] = []

    def start(*arguments: str, command: Sequence[str] = ("-c", _INTERRUPTIBLE)) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, *command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(real_checkout / "src")},
        )
        timer = threading.Timer(LIMIT, process.kill)
        timer.start()
        started.append((process, timer))
        return process

    yield start
    for process, timer in started:
        timer.cancel()
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()

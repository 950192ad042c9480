"""The child as a command: what a person runs to see one probe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpu_gotchas.repro.request import Answer

PROBES = Path(__file__).with_name("misbehaving.py")

pytestmark = pytest.mark.usefixtures("light")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gpu_gotchas.repro.child", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=dict(os.environ), check=False)


def test_the_answer_stands_alone_on_stdout_and_what_the_probe_prints_on_stderr() -> None:
    done = run(str(PROBES), "prints_in_c", "cpu", "--tier", "logic")
    (line,) = done.stdout.splitlines()
    assert Answer.from_json(line).exception == "ValueError: and raised"
    assert {"said in C", "buffered in C", "said in Python"} <= set(done.stderr.splitlines())
    assert done.returncode == 0


def test_an_observable_is_measured_on_request() -> None:
    done = run(str(PROBES), "measures", "cpu", "--tier=logic", "--seeds=2", "--repeats=2")
    assert Answer.from_json(done.stdout).measured == (0.5, 0.5, 10.5, 10.5)


def test_an_unknown_tier_is_a_usage_error() -> None:
    done = run(str(PROBES), "returns", "cpu", "--tier=fast")
    assert done.returncode == 2
    assert "--tier" in done.stderr

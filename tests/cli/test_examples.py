"""Every example of a search in the pages runs as it is written, and answers as the pages say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import PROJECT

PAGES = ("README.md", "docs/index.md", "docs/using.md")
ERROR = "ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e5',)"
KNOWN = "triton-fp8e4nv-below-sm89"

THIS_IS_IT = (0, f"This is it:\n\n{KNOWN} ")
EXPECTED = {
    'gotchas search "type fp8e4nv not supported in this architecture"': THIS_IS_IT,
    'gotchas search "out of resource: shared memory"': (
        0,
        "Looks like",
    ),
    "gotchas search server.log": THIS_IS_IT,
    "gotchas search server.log.gz": THIS_IS_IT,
    "vllm serve MODEL 2>&1 | gotchas search --tee -": THIS_IS_IT,
    "vllm serve … 2>&1 | gotchas search --tee -": THIS_IS_IT,
    "gotchas search --json server.log": (0, '"answer": "this-is-it"'),
    "gotchas scan server.log worker-*.log": (1, KNOWN),
    "gotchas scan server.log": (1, KNOWN),
    f"gotchas show {KNOWN}": (0, KNOWN),
}
"""To each command its exit code and how its answer begins, or what it holds."""


def commands(page: str) -> list[str]:
    """What a page has one type: lines of its fenced code, and code in its tables."""
    text = (PROJECT / page).read_text("utf-8")
    fenced = [line for block in re.findall(r"(?s)```sh\n(.*?)```", text) for line in block.splitlines()]
    coded = [code.replace("\\|", "|") for code in re.findall(r"(?m)^\|.*\| `([^`]+)` \|$", text)]
    typed = [re.sub(r"\s+#.*", "", line).rpartition("&& .gotchas/bin/")[2] for line in (*fenced, *coded)]
    return [line for line in typed if re.search(r"\bgotchas (?:search|scan|show)\b", line)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the pages name, and with `gotchas` and a `vllm` that fails on its path."""
    import gzip

    base = tmp_path_factory.mktemp("examples")
    log = f"INFO 10-01 10:00:00 [x.py:1] starting\n{ERROR}\n"
    for name in ("server.log", "worker-1.log", "worker-2.log", "error.log"):
        (base / name).write_text(log, "utf-8")
    (base / "server.log.gz").write_bytes(gzip.compress(log.encode()))
    programs = {
        "gotchas": f'exec "{sys.executable}" -m gpu_gotchas.cli "$@"',
        "vllm": f'cat "{base}/server.log" >&2',
    }
    (base / "bin").mkdir()
    for name, line in programs.items():
        (base / "bin" / name).write_text(f"#!/bin/sh\n{line}\n", "utf-8")
        (base / "bin" / name).chmod(0o755)
    return base


def test_every_example_has_an_expected_answer_and_none_is_left_over() -> None:
    written = {line for page in PAGES for line in commands(page)}
    assert written - {"gotchas show ID"} == EXPECTED.keys()


@pytest.mark.skipif(sys.platform == "win32", reason="the examples are typed into a shell of POSIX")
@pytest.mark.parametrize("command", EXPECTED)
def test_an_example_answers_as_the_pages_say(place: Path, command: str) -> None:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=place,
        env={
            **os.environ,
            "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(PROJECT / "src"),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    code, told = EXPECTED[command]
    answer = done.stderr if "--tee" in command else done.stdout
    assert done.returncode == code, done.stderr
    assert told in answer
    if told.endswith(" "):
        assert answer.startswith(told)

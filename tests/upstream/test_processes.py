"""What `gotchas fixes status` knows of processes: the living and what they said, and those with no fixes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gpu_gotchas.upstream.journal import Journal, process_start, status_folder, summary_line
from gpu_gotchas.upstream.outcome import Applied, Declined, Fine, NotNeeded, Reason, Shown, Waiting
from gpu_gotchas.upstream.processes import Unloaded, loaded, not_loaded


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPU_GOTCHAS_CACHE", str(tmp_path / "cache"))


def process(proc: Path, pid: int, command: str, environ: dict[str, str], start: str = "77") -> None:
    folder = proc / str(pid)
    folder.mkdir(parents=True)
    (folder / "cmdline").write_bytes(command.replace(" ", "\0").encode() + b"\0")
    (folder / "environ").write_bytes("\0".join(f"{name}={value}" for name, value in environ.items()).encode())
    (folder / "stat").write_text(f"{pid} (a name) of) S " + " ".join(["0"] * 18) + f" {start} 0 0\n")


def test_a_journal_is_read_back_while_its_process_lives() -> None:
    journal = Journal({"vllm": "0.33.0"})
    journal.note("a", Applied(Shown.HERE))
    journal.summary()
    (found,) = loaded()
    assert (found.pid, found.parent) == (os.getpid(), os.getppid())
    assert found.fixes["a"]["outcome"] == "applied and verified"
    journal.note("b", Declined(Reason.VERIFY_FAILED, "somewhere"))
    (found,) = loaded()
    assert found.fixes["b"] == {
        "outcome": "declined",
        "why": Reason.VERIFY_FAILED.value,
        "detail": "somewhere",
    }


def test_files_of_processes_that_are_gone_are_removed_also_when_a_number_is_used_again(
    tmp_path: Path,
) -> None:
    proc = tmp_path / "proc"
    process(proc, 7, "vllm serve M", {}, start="100")
    status_folder().mkdir(parents=True)
    common = {"parent": 1, "command": ["vllm"], "versions": {}, "fixes": {}}
    for pid, start in ((7, "99"), (8, "5")):
        (status_folder() / f"{pid}.json").write_text(json.dumps({"pid": pid, "started": start, **common}))
    (status_folder() / "9.json").write_text("{half")
    assert loaded(proc) == []
    assert [path.name for path in status_folder().iterdir()] == ["9.json"]
    assert process_start(7, proc) == "100"


ON = {"GPU_GOTCHAS_FIXES": "auto"}


@pytest.mark.parametrize(
    ("environ", "why"),
    [
        ({}, Unloaded.OFF),
        ({"GPU_GOTCHAS_FIXES": "off"}, Unloaded.OFF),
        ({**ON, "VLLM_PLUGINS": "another"}, Unloaded.LEFT_OUT),
        ({**ON, "VLLM_PLUGINS": ""}, Unloaded.LEFT_OUT),
        (ON, Unloaded.NOT_INSTALLED),
        ({**ON, "VLLM_PLUGINS": "another,gpu_gotchas"}, Unloaded.NOT_INSTALLED),
    ],
)
def test_a_server_without_fixes_is_named_with_the_reason(
    tmp_path: Path, environ: dict[str, str], why: Unloaded
) -> None:
    proc = tmp_path / "proc"
    process(proc, 7, "/nowhere/bin/python /nowhere/bin/vllm serve M", environ)
    (found,) = not_loaded([], proc)
    assert (found.pid, found.why) == (7, why)


def test_where_we_are_installed_the_reason_is_one_to_look_up(tmp_path: Path) -> None:
    (tmp_path / "venv/lib/python3.12/site-packages/gpu_gotchas-0.1.0.dist-info").mkdir(parents=True)
    process(tmp_path / "proc", 7, f"{tmp_path}/venv/bin/python -m vllm.entrypoints.api", ON)
    (found,) = not_loaded([], tmp_path / "proc")
    assert found.why is Unloaded.NOT_YET


@pytest.mark.parametrize(
    ("command", "serves"),
    [
        ("VLLM::EngineCore", True),
        ("VLLM::Worker_TP0", True),
        ("python -m vllm.entrypoints.openai.api_server --model M", True),
        ("vim notes-on-vllm.txt", False),
        ("python train.py", False),
    ],
)
def test_only_processes_of_vllm_are_named(tmp_path: Path, command: str, serves: bool) -> None:
    process(tmp_path / "proc", 7, command, {})
    assert bool(not_loaded([], tmp_path / "proc")) is serves


def test_the_line_names_what_matters_and_counts_the_rest() -> None:
    line = summary_line(
        {
            "a": Applied(Shown.HERE),
            "b": NotNeeded(Fine.NOT_YET),
            "c": Declined(Reason.CAPTURE_BEGUN),
            "d": Waiting("vllm.x"),
        }
    )
    assert line == (
        "1 applied and verified (a), 1 waiting for their modules (d), 1 not needed, "
        f"1 declined (c: {Reason.CAPTURE_BEGUN.value})"
    )
    assert "\n" not in line

"""The verbs of `gotchas fixes`: what they say where there is nothing, and of names that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu_gotchas.upstream import processes
from gpu_gotchas.upstream.journal import Journal
from gpu_gotchas.upstream.outcome import Applied, Declined, Reason, Shown
from tests.cli.conftest import Gotchas


@pytest.fixture(autouse=True)
def nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPU_GOTCHAS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(processes.not_loaded, "__defaults__", (tmp_path / "proc",))


def test_status_says_that_nothing_runs(gotchas: Gotchas) -> None:
    said = gotchas("fixes", "status")
    assert said.code == 1
    assert "No process with fixes" in said.out


def test_status_shows_each_fix_of_each_process_and_fails_where_one_was_declined(gotchas: Gotchas) -> None:
    journal = Journal({"vllm": "0.33.0"})
    journal.note("a-fix", Applied(Shown.HERE))
    journal.summary()
    good = gotchas("fixes", "status")
    assert good.code == 0
    assert "a-fix: applied and verified" in good.out
    journal.note("b-fix", Declined(Reason.MOVED, "vllm.x"))
    bad = gotchas("fixes", "status", "--json")
    assert bad.code == 1
    (process,) = json.loads(bad.out)["loaded"]
    assert {name: fix["outcome"] for name, fix in process["fixes"].items()} == {
        "a-fix": "applied and verified",
        "b-fix": "declined",
    }


@pytest.mark.parametrize("words", [("prepare", "no-such-patch"), ("table", "--only", "no-such-patch")])
def test_a_patch_that_is_none_is_named_with_those_that_are(gotchas: Gotchas, words: tuple[str, ...]) -> None:
    said = gotchas("fixes", *words)
    assert said.code == 4
    assert "no-such-patch" in said.err
    assert "triton-mla-fp8-smem-overflow" in said.err


def test_a_release_that_is_not_here_is_named_with_the_command_that_fetches_it(gotchas: Gotchas) -> None:
    said = gotchas("fixes", "table", "0.0.1")
    assert said.code == 4
    assert "gotchas fetch vllm==0.0.1" in said.err

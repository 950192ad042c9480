from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from gpu_gotchas.cli import reading
from tests.cli.conftest import Gotchas

FP8 = "ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e5',)\n"


def test_findings_are_told_with_their_lines(gotchas: Gotchas, tmp_path: Path) -> None:
    log, calm = tmp_path / "server.log", tmp_path / "calm.log"
    log.write_text(f"fine\n{FP8}fine\n{FP8}", "utf-8")
    calm.write_text("fine\n", "utf-8")
    ran = gotchas("scan", str(log), str(calm))
    assert ran.code == 1
    assert "sample-fp8e4nv-refused" in ran.out
    assert "lines 2, 4: ValueError: type fp8e4nv" in ran.out
    assert "calm.log: nothing known" in ran.out


def test_nothing_found_is_0(gotchas: Gotchas, tmp_path: Path) -> None:
    (tmp_path / "calm.log").write_text("fine\n" * 100, "utf-8")
    assert gotchas("scan", str(tmp_path / "calm.log")).code == 0


def test_json_has_what_programs_rely_on(gotchas: Gotchas, tmp_path: Path) -> None:
    (tmp_path / "server.log").write_text(f"fine\n{FP8}", "utf-8")
    ran = gotchas("scan", "--json", str(tmp_path / "server.log"))
    document = json.loads(ran.out)
    assert document["version"] == 1
    (found,) = document["files"][0]["found"]
    assert (found["id"], found["lines"], found["count"]) == ("sample-fp8e4nv-refused", [2], 1)


def test_a_file_that_is_not_there_is_bad_input(gotchas: Gotchas, tmp_path: Path) -> None:
    ran = gotchas("scan", str(tmp_path / "missing.log"))
    assert ran.code == 4
    assert "missing.log" in ran.err


def test_control_characters_of_a_log_never_reach_the_terminal(gotchas: Gotchas, tmp_path: Path) -> None:
    (tmp_path / "evil.log").write_text(f"\x1b]0;title\x07\x1b[2J{FP8}", "utf-8")
    ran = gotchas("scan", str(tmp_path / "evil.log"))
    assert "\x1b" not in ran.out
    assert "sample-fp8e4nv-refused" in ran.out


class Screen(io.StringIO):
    """A terminal as far as progress asks."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("command", "code"), [(("scan",), 0), (("search", "-f"), 1)])
def test_a_long_log_shows_how_far_it_is_and_leaves_nothing_behind(
    gotchas: Gotchas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], code: int
) -> None:
    monkeypatch.setattr(reading, "_LARGE", 1_000)
    monkeypatch.setattr(reading, "_STEP", 1)
    log = tmp_path / "long.log"
    log.write_text("fine\n" * 40_000, "utf-8")
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    assert gotchas(*command, str(log)).code == code
    *told, last = screen.getvalue().split("\r")[1:]
    percents = [int(text.split(" %")[0]) for text in told if "%" in text]
    assert percents == sorted(percents)
    assert percents[-1] == 100
    assert len(percents) > 2
    assert last == ""


def test_a_short_log_and_a_pipe_show_no_progress(gotchas: Gotchas, tmp_path: Path) -> None:
    (tmp_path / "calm.log").write_text("fine\n" * 100, "utf-8")
    assert gotchas("scan", str(tmp_path / "calm.log")).err == ""

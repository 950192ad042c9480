from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Gotchas
from tests.search.logs import healthy_log
from tests.search.samples import signature

FP8 = "type fp8e4nv not supported in this architecture"


def test_found_is_0_and_not_known_is_1(gotchas: Gotchas) -> None:
    assert gotchas("search", FP8).code == 0
    assert gotchas("search", "fp8e4nv").code == 0
    ran = gotchas("search", "OSError: [Errno 98] Address already in use")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("Not known.")


def test_words_need_no_quotes(gotchas: Gotchas) -> None:
    assert gotchas("search", *FP8.split()).out == gotchas("search", FP8).out


def test_json_is_the_format_that_programs_rely_on(gotchas: Gotchas) -> None:
    ran = gotchas("search", "--json", FP8)
    found = json.loads(ran.out)
    assert (found["version"], found["answer"]) == (1, "this-is-it")
    assert found["results"][0]["id"] == "sample-fp8e4nv-refused"
    unknown = gotchas("search", "--json", "hello")
    assert (unknown.code, json.loads(unknown.out)["results"]) == (1, [])


def test_a_file_is_read(gotchas: Gotchas, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"\xff noise\r\n" * 5 + f"[rank0]: {FP8}\r\n".encode())
    ran = gotchas("search", "--explain", "-f", str(log))
    assert ran.code == 0
    assert "line 6" in ran.out


def test_as_says_whose_card_it_was(gotchas: Gotchas) -> None:
    assert "This is it" in gotchas("search", "--as", "sm_86", FP8).out
    other = gotchas("search", "--as", "sm_90", FP8)
    assert "Looks like" in other.out
    assert "disagrees: sm_90" in other.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "No text was given"),
        (("",), "No text was given"),
        ((" \t",), "No text was given"),
        (("--as", "sm_87x", FP8), "unknown target 'sm_87x'; did you mean"),
        (("--tee", "text"), "--tee passes standard input through"),
        (("-f", "x.log", "text"), "not both"),
        (("--jsn", FP8), "No such option"),
    ],
)
def test_wrong_use_is_2_and_says_what_would_be_right(
    gotchas: Gotchas, arguments: tuple[str, ...], told: str
) -> None:
    ran = gotchas("search", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_an_empty_file_is_wrong_use(gotchas: Gotchas, tmp_path: Path) -> None:
    empty = tmp_path / "empty.log"
    empty.write_text(" \n\n", "utf-8")
    ran = gotchas("search", "-f", str(empty))
    assert ran.code == 2
    assert "nothing in the text" in ran.err


def test_a_file_that_is_not_there_is_4(gotchas: Gotchas) -> None:
    ran = gotchas("search", "-f", "no-such.log")
    assert ran.code == 4
    assert "no-such.log can't be read" in ran.err


def test_broken_records_are_4_with_file_and_line(gotchas: Gotchas, checkout: Path) -> None:
    record = checkout / "gotchas" / "sample-page-size" / "gotcha.yaml"
    record.write_text(record.read_text("utf-8").replace("severity: major", "severity: mayor"), "utf-8")
    ran = gotchas("search", FP8)
    assert ran.code == 4
    assert "sample-page-size/gotcha.yaml:4: severity" in ran.err.replace("\\", "/")


def test_a_fault_of_ours_is_3_and_short(gotchas: Gotchas, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu_gotchas.search.engine.Search.answer", lambda *_: 1 / 0)
    ran = gotchas("search", FP8)
    assert (ran.code, ran.out) == (3, "")
    assert "fault of gotchas itself" in ran.err
    assert "Traceback" not in ran.err
    monkeypatch.setenv("GOTCHAS_TRACEBACK", "1")
    assert "Traceback" in gotchas("search", FP8).err


def test_control_characters_of_a_paste_are_not_printed(gotchas: Gotchas) -> None:
    ran = gotchas("search", "--explain", f"\x1b]0;title\x07\x1b[2J\u202e{FP8}\x9b31m")
    assert ran.code == 0
    assert ran.out.replace("\n", "").isprintable()


@pytest.mark.parametrize("options", [(), ("--explain",), ("--json",), ("--as", "sm_86")])
def test_one_argument_that_is_a_file_is_about_what_is_in_it(
    gotchas: Gotchas, tmp_path: Path, options: tuple[str, ...]
) -> None:
    log = tmp_path / "server.log"
    log.write_text(f"fine\n{FP8}\n", "utf-8")
    named, given = gotchas("search", *options, str(log)), gotchas("search", *options, "-f", str(log))
    assert (named.code, named.out) == (given.code, given.out) == (0, given.out)
    assert named.err == "CHECKOUT/server.log is a file: this is about what is in it.\n"
    assert given.err == ""


def test_a_file_among_words_is_a_word_and_a_text_of_any_length_is_no_file(
    gotchas: Gotchas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fp8e4nv").write_text("nothing", "utf-8")
    (tmp_path / "vllm").mkdir()
    assert gotchas("search", "type", "fp8e4nv", "not supported in this architecture").err == ""
    assert gotchas("search", "vllm").err == ""
    assert gotchas("search", FP8 * 2_000).err == ""
    assert gotchas("search", "\0" + FP8).err == ""


def test_a_folder_and_a_log_that_is_not_there_are_said(gotchas: Gotchas, tmp_path: Path) -> None:
    ran = gotchas("search", f"{tmp_path}/")
    assert (ran.code, ran.out) == (2, "")
    assert "is a folder: give a log in it" in ran.err
    ran = gotchas("search", "eror.log")
    assert ran.code == 1
    assert "no file eror.log" in ran.err


def test_a_healthy_log_is_told_so_and_nobody_is_sent_to_draft_a_record(
    gotchas: Gotchas, tmp_path: Path
) -> None:
    log = tmp_path / "server.log"
    log.write_text(healthy_log(300), "utf-8")
    ran = gotchas("search", str(log))
    assert ran.code == 1
    assert ran.out.startswith("Not known. Nothing in it reads like a failure.")
    assert "gotchas new" not in ran.out


def test_an_echo_is_told_where_the_cause_stands(gotchas: Gotchas) -> None:
    ran = gotchas("search", "RuntimeError: Engine core initialization failed. See root cause above.")
    assert ran.code == 1
    assert "The cause stands above, in the log" in ran.out
    assert "grep -n -m 1 -B 40" in ran.out
    assert "gotchas new" not in ran.out


def test_of_a_candidate_what_helped_comes_first_and_the_projects_homework_only_when_asked(
    gotchas: Gotchas, checkout: Path
) -> None:
    candidates = checkout / "gotchas" / "_candidates.yaml"
    told = yaml.safe_load(candidates.read_text("utf-8"))
    told[0] |= {
        "believed": "A cable is loose. Pushing it in helped.",
        "signatures": [signature("invented cable {int} hums", basis="reported")],
    }
    candidates.write_text(yaml.safe_dump(told), "utf-8")
    lines = gotchas("search", "invented cable 7 hums").out.splitlines()
    first = next(at for at, line in enumerate(lines) if "reported to help: Pushing it in helped." in line)
    assert first < next(at for at, line in enumerate(lines) if "why: " in line)
    assert not [line for line in lines if "a repro: " in line]
    assert "would confirm it: a repro: " in gotchas("search", "--explain", "invented cable 7 hums").out

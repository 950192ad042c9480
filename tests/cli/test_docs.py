"""What the hand-written pages say of commands, options and fields is there."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from gpu_gotchas.cli.app import COMMANDS
from gpu_gotchas.doctor.ignores import read_ignores
from gpu_gotchas.doctor.store import open_knowledge
from gpu_gotchas.records.model import Basis, ControlAxis, FixType, Kind
from gpu_gotchas.records.templates import Template
from tests.cli.conftest import PROJECT, Gotchas

PAGES = ("README.md", "CONTRIBUTING.md", "docs/using.md", "docs/patches.md", "docs/programs.md")


def text(page: str) -> str:
    return (PROJECT / page).read_text("utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_commands_that_are_named_are_there(page: str) -> None:
    named = set(re.findall(r"(?m)(?:^|`|&& |bin/)gotchas ([a-z]+)", text(page)))
    assert named <= COMMANDS.keys()


def test_options_that_are_named_are_there(gotchas: Gotchas) -> None:
    for command, options in (("run", ("--tier", "--target", "--report")), ("show", ("--json",))):
        helped = gotchas(command, "--help").out
        assert all(option in helped for option in options)


def test_each_field_of_a_search_is_told(gotchas: Gotchas) -> None:
    (found, *_) = json.loads(gotchas("search", "--json", "fp8e4nv").out)["results"]
    page = text("docs/programs.md")
    table = page[page.index("| field | holds |") :]
    assert {
        name for row in re.findall(r"^\| (`.*?) \|", table, re.M) for name in re.findall(r"`(\w+)`", row)
    } == (found.keys())


def test_each_word_of_a_record_is_explained() -> None:
    page = text("CONTRIBUTING.md")
    for words in (Kind, Basis, ControlAxis, FixType):
        assert all(f"`{word.value}`" in page for word in words)
    for hole in re.findall(r"`(\{\w+(?::\w+)?\})`", page):
        Template.parse(hole + " and a word")
    assert {"{int}", "{hex}", "{path}", "{word}", "{any}"} <= set(re.findall(r"`(\{\w+\})`", page))


def test_the_example_of_an_ignore_is_one(tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", text("docs/using.md"), re.S)
    (tmp_path / "pyproject.toml").write_text(block, "utf-8")
    (one,) = read_ignores(tmp_path / "pyproject.toml")
    assert one.id in open_knowledge().names
    (tmp_path / "own.toml").write_text(block.replace("[[tool.gpu-gotchas.ignore]]", "[[ignore]]"), "utf-8")
    assert read_ignores(tmp_path / "own.toml") == (one,)


@pytest.mark.parametrize("name", ["results.jsonl", ".gotchas/bin/gotchas"])
def test_what_the_pages_have_one_make_is_not_committed(name: str) -> None:
    if not (PROJECT / ".git").exists():
        pytest.skip("this is no working copy of git's")
    done = subprocess.run(["git", "check-ignore", "-q", name], cwd=PROJECT, timeout=30, check=False)
    assert done.returncode == 0

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from gpu_gotchas import __version__
from gpu_gotchas.cli.app import COMMANDS
from tests.cli.conftest import Gotchas

Child = Callable[..., "subprocess.Popen[bytes]"]
LIST_MODULES = (
    "import sys; from gpu_gotchas.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
)
HEAVY = {"torch", "triton", "yaml", "jsonschema", "pydantic"}


def modules(child: Child, *arguments: str) -> set[str]:
    process = child(*arguments, command=("-c", LIST_MODULES))
    _, err = process.communicate(timeout=60)
    return set(err.decode().split())


def test_the_version_is_told_before_typer_is_loaded(child: Child, gotchas: Gotchas) -> None:
    assert gotchas("--version").out == f"gotchas {__version__}\n"
    assert "typer" not in modules(child, "--version")


def test_search_and_list_load_nothing_heavy(child: Child) -> None:
    child("list").communicate(timeout=60)  # builds the index where it is not there yet
    for arguments in (("search", "fp8e4nv on sm_86"), ("list", "--target", "sm_86")):
        loaded = modules(child, *arguments)
        assert "gpu_gotchas.records.root" in loaded
        assert not HEAVY & loaded


def test_a_plain_search_needs_no_option_parser(child: Child, gotchas: Gotchas) -> None:
    child("list").communicate(timeout=60)
    assert "typer" not in modules(child, "search", "fp8e4nv", "on", "sm_86")
    assert "typer" in modules(child, "search", "fp8e4nv", "--json")


@pytest.mark.parametrize("text", ["fp8e4nv", "nothing that anybody knows", " "])
def test_with_and_without_the_parser_the_answer_is_one(gotchas: Gotchas, text: str) -> None:
    plain, parsed = gotchas("search", text), gotchas("search", "--", text)
    assert (plain.code, plain.out, plain.err) == (parsed.code, parsed.out, parsed.err)


def test_only_the_command_that_was_asked_for_is_loaded(child: Child) -> None:
    loaded = modules(child, "search", "fp8e4nv", "--json")
    assert COMMANDS["search"] in loaded
    assert COMMANDS["new"] not in loaded


@pytest.mark.parametrize("blocked", ["torch", "triton", "fcntl", "resource", "pwd", "termios"])
def test_commands_work_without(child: Child, blocked: str) -> None:
    code = (
        f"import sys; sys.modules[{blocked!r}] = None; from gpu_gotchas.cli import main;"
        "sys.exit(max(main(['search', 'fp8e4nv']), main(['list']), main(['check']) - 1))"
    )
    process = child(command=("-c", code))
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err.decode()


def test_without_a_command_help_is_shown_and_it_is_wrong_use(gotchas: Gotchas) -> None:
    ran = gotchas()
    assert ran.code == 2
    assert all(name in ran.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(gotchas: Gotchas, name: str) -> None:
    ran = gotchas(name, "--help")
    assert ran.code == 0
    assert f"gotchas {name}" in ran.out


def test_a_misspelt_command_gets_a_suggestion(gotchas: Gotchas) -> None:
    ran = gotchas("serch")
    assert ran.code == 2
    assert "search" in ran.err

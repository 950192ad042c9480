"""The commands, and what becomes of their exceptions.

A command is a module with a `command`: a function for Typer, or a `typer.Typer` with commands of its own.
Adding one is one line in `COMMANDS`. Only the module that was asked for is imported.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import typer

from gpu_gotchas.cli.exits import Exit
from gpu_gotchas.cli.guard import guarded
from gpu_gotchas.cli.repeats import refuse_repeated
from gpu_gotchas.cli.terminal import Terminal

COMMANDS = {
    "search": "gpu_gotchas.cli.search",
    "scan": "gpu_gotchas.cli.scan",
    "show": "gpu_gotchas.cli.show",
    "list": "gpu_gotchas.cli.listing",
    "check": "gpu_gotchas.cli.check",
    "new": "gpu_gotchas.cli.new",
    "run": "gpu_gotchas.cli.run",
    "results": "gpu_gotchas.cli.results",
    "doctor": "gpu_gotchas.cli.doctor",
    "diff": "gpu_gotchas.cli.diff",
    "fixes": "gpu_gotchas.cli.fixes",
    "fetch": "gpu_gotchas.cli.fetch",
    "sweep": "gpu_gotchas.cli.sweep",
    "audit": "gpu_gotchas.cli.audit",
    "coverage": "gpu_gotchas.cli.coverage",
    "site": "gpu_gotchas.cli.site",
    "mcp": "gpu_gotchas.cli.mcp",
}

# Typer brings its own copy of click from some version on; its exceptions are wherever this one is from.
_click = sys.modules[typer.BadParameter.__module__]


def run(arguments: Sequence[str]) -> int:
    """Runs one command. Never raises: whatever goes wrong ends in a short message and an exit code."""
    return guarded(lambda: _parsed(arguments))


def _parsed(arguments: Sequence[str]) -> int:
    try:
        return _invoke(arguments) if arguments else _no_command()
    except _click.ClickException as error:
        return _usage(error, Terminal.standard())
    except typer.Abort:
        return Exit.NOT_KNOWN


def build(wanted: Sequence[str]) -> typer.Typer:
    """The application with the commands that are wanted by name."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback()(_gotchas)
    for name in wanted:
        command = importlib.import_module(COMMANDS[name]).command
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def _gotchas() -> None:
    """GPU inference failures: what they are, whom they hit, and what helps.

    `gotchas --version` tells the version.
    """


def _invoke(arguments: Sequence[str]) -> int:
    named = arguments[0] if arguments[0] in COMMANDS else None
    command = typer.main.get_command(build([named] if named else list(COMMANDS)))
    refuse_repeated(command, arguments)
    result = command.main(args=list(arguments), prog_name="gotchas", standalone_mode=False)
    return result if isinstance(result, int) else Exit.FOUND


def _no_command() -> int:
    _invoke(["--help"])
    return Exit.USAGE


def _usage(error: Exception, terminal: Terminal) -> int:
    context = getattr(error, "ctx", None)
    if context is not None:
        terminal.note(context.get_usage())
    for line in str(error.format_message()).split("\n"):  # type: ignore[attr-defined]
        terminal.note(line)
    return Exit.USAGE

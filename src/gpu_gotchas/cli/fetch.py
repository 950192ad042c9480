"""`gotchas fetch`: the source files of an upstream release, for repros that ask its own code."""

from __future__ import annotations

from typing import Annotated

import typer

from gpu_gotchas.cli.exits import BadInput, Exit


def command(
    releases: Annotated[list[str], typer.Argument(metavar="NAME==VERSION…", help="Such as vllm==0.33.0.")],
) -> int:
    """Download wheels and keep their Python files, for the package tier. Nothing of them is installed."""
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.repro.packages import PackageError, fetch_package

    terminal = Terminal.standard()
    for release in releases:
        terminal.note(f"Fetching {release}")
        try:
            terminal.line(str(fetch_package(release)))
        except PackageError as error:
            raise BadInput(str(error)) from None
    return Exit.FOUND

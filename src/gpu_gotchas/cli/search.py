"""`gotchas search`: a pasted error, a log, or a few words, to the gotcha it is about."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT|FILE]", help="The error, a log, or - for standard input."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", help="A log to search, whatever it is called.")
    ] = None,
    tee: Annotated[
        bool, typer.Option("--tee", help="Pass standard input through; the answer goes to standard error.")
    ] = False,
    as_target: Annotated[
        str | None, typer.Option("--as", metavar="TARGET", help="The card it happened on, such as sm_86.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as JSON.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Every match in full.")] = False,
) -> int:
    """Find the gotcha that an error or a log is about.

    Exit code 0 when something was found, 1 when it is not known.
    """
    from gpu_gotchas.cli.searching import answer

    return answer(text or (), file, tee=tee, as_target=as_target, as_json=as_json, explain=explain)

"""`gotchas run`: a thin door to `pytest --gotchas`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpu_gotchas.cli.exits import CommandFailed, Exit


class NoPytest(CommandFailed):
    code = Exit.NOTHING_RAN


def command(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID…]", help="Gotchas; all by default.")] = None,
    tier: Annotated[list[str] | None, typer.Option(help="logic, compile, package or device.")] = None,
    target: Annotated[list[str] | None, typer.Option(help="Such as sm_86.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write results to this file.")] = None,
    package: Annotated[str | None, typer.Option("--with", metavar="NAME==VERSION")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail what is inconclusive.")] = False,
) -> int:
    """Make failures happen, and their fixes make them stop, on what this machine offers.

    Exit code 0 when all came out as claimed, 1 when something did not, 5 when nothing could run.
    """
    try:
        import pytest
    except ModuleNotFoundError:
        raise NoPytest("Running repros needs pytest and Triton: pip install 'gpu-gotchas[repro]'") from None
    arguments = ["--gotchas", *_each("--gotcha", ids), *_each("--gotcha-tier", tier)]
    arguments += _each("--gotcha-target", target)
    arguments += [f"--gotcha-report={report}"] if report else []
    arguments += [f"--gotcha-package={package}"] if package else []
    arguments += ["--gotcha-strict"] if strict else []
    code = pytest.main([*arguments, "-q", *_nothing_else()])
    return {0: Exit.FOUND, 1: Exit.NOT_KNOWN, 2: Exit.NOT_KNOWN, 4: Exit.USAGE, 5: Exit.NOTHING_RAN}.get(
        int(code), Exit.OUR_FAULT
    )


def _each(option: str, values: list[str] | None) -> list[str]:
    return [f"{option}={value}" for value in values or ()]


def _nothing_else() -> list[str]:
    """An empty folder to collect from, so that the tests of the project one stands in are left alone."""
    import tempfile

    empty = tempfile.mkdtemp(prefix="gotchas-run-")
    return [empty, f"--rootdir={empty}", "-p", "no:cacheprovider"]

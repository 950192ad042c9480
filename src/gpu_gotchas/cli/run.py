"""`gotchas run`: a thin door to `pytest --gotchas`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpu_gotchas.cli.exits import CommandFailed, Exit

if TYPE_CHECKING:
    from gpu_gotchas.repro.results import Result

HOW_TO_INSTALL = "From a clone: pip install '.[repro]', beside the torch that you use."


class NoPytest(CommandFailed):
    code = Exit.NOTHING_RAN


def command(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="By default all.")] = None,
    tier: Annotated[
        list[str] | None,
        typer.Option(metavar="TIER", help="Only logic, compile, package or device (repeatable)."),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(metavar="TARGET", help="Only this target, such as sm_86, 8.6 or RTX 3090 (repeatable)."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write results to FILE, one line each.")
    ] = None,
    package: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="NAME==VERSION",
            help="The upstream release that the package tier asks; by default what each record names.",
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="What one probe may take; by default what its repro needs, at least 120.",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Fail what is inconclusive, and a tier that was asked for and ran nothing."
        ),
    ] = False,
) -> int:
    """Make failures happen, and their fixes make them stop, on what this machine offers.

    Exit code 0 when all came out as claimed, 1 when something did not, 5 when nothing could run.
    """
    try:
        import pytest
    except ModuleNotFoundError:
        raise NoPytest(f"Running repros needs pytest, Triton and torch. {HOW_TO_INSTALL}") from None
    from tempfile import TemporaryDirectory

    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.proving.alone import nothing_else
    from gpu_gotchas.repro.results import read_results

    with TemporaryDirectory(prefix="gotchas-report-") as scratch, nothing_else() as alone:
        written = report or Path(scratch) / "results.jsonl"
        arguments = ["--gotchas", *_each("--gotcha", ids), *_each("--gotcha-tier", tier)]
        arguments += _each("--gotcha-target", target)
        arguments += [f"--gotcha-report={written}"]
        arguments += [f"--gotcha-package={package}"] if package else []
        arguments += [f"--gotcha-timeout={timeout}"] if timeout is not None else []
        arguments += ["--gotcha-strict"] if strict else []
        # A line for each run as it ends, with its outcome: also a file that it goes to can be watched.
        code = int(pytest.main([*arguments, "--verbose", "--no-header", *alone]))
        results = read_results(written) if code in (0, 1) else []
    if lacking := _lacking(results):
        told = " and ".join(lacking)
        Terminal.standard().note(f"Some runs need {told}, not installed here. {HOW_TO_INSTALL}")
    return _exit(code, results)


def _each(option: str, values: list[str] | None) -> list[str]:
    return [f"{option}={value}" for value in values or ()]


def _lacking(results: Iterable[Result]) -> list[str]:
    """The packages for lack of which something was skipped."""
    from gpu_gotchas.repro.telling import needed

    return sorted({package for result in results if (package := needed(result.reason))})


def _exit(code: int, results: list[Result]) -> int:
    """code: pytest's own."""
    if code == 0 and not any(_ran(result) for result in results):
        return Exit.NOTHING_RAN
    known = {0: Exit.FOUND, 1: Exit.NOT_KNOWN, 2: Exit.NOT_KNOWN, 4: Exit.USAGE, 5: Exit.NOTHING_RAN}
    return known.get(code, Exit.OUR_FAULT)


def _ran(result: Result) -> bool:
    from gpu_gotchas.repro.outcomes import Outcome

    return result.outcome is not Outcome.SKIPPED

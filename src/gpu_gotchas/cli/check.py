"""`gotchas check`: are the records sound? The loader, every lint rule, the proofs, blanks left to fill."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpu_gotchas.cli.exits import Exit

if TYPE_CHECKING:
    from gpu_gotchas.records.problems import Problem


def command(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...", exists=True, help="Records, or folders of records; by default all."
        ),
    ] = None,
) -> int:
    """Check that records can be loaded and hold together.

    Exit code 0 when they do, 1 with findings, 4 when a record can't be loaded.
    """
    from gpu_gotchas.cli.checking import check_root, root_of, within
    from gpu_gotchas.cli.place import base_told
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.records.root import root

    places = [path.resolve() for path in paths or [root()]]
    unreadable: list[Problem] = []
    findings: list[Problem] = []
    checked: set[Path] = set()
    for records in dict.fromkeys(root_of(place) for place in places):
        report = check_root(records)
        wanted = [place for place in places if root_of(place) == records]
        unreadable += (problem for problem in report.unreadable if within(problem.path, wanted))
        findings += (problem for problem in report.findings if within(report.home(problem), wanted))
        checked |= {folder for folder in report.folders if any(_within(folder, place) for place in wanted)}
    terminal = Terminal.standard()
    for problem in (*unreadable, *findings):
        terminal.line(str(replace(problem, path=_near(problem.path))))
    count = len(unreadable) + len(findings)
    told = f"{count} problem{'' if count == 1 else 's'}" if count else "no problem"
    terminal.note(f"{len(checked)} record{'' if len(checked) == 1 else 's'} checked, {told}.")
    if not paths:
        terminal.note(f"Checked: {base_told(root())}.")
    return Exit.BAD_INPUT if unreadable else Exit.NOT_KNOWN if findings else Exit.FOUND


def _near(path: Path) -> Path:
    """As seen from here, where it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if here in path.parents else path


def _within(folder: Path, place: Path) -> bool:
    return folder == place or place in folder.parents or folder in place.parents

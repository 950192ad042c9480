"""`gotchas fetch`: the source files of an upstream release, for repros that ask its own code."""

from __future__ import annotations

from typing import Annotated

import typer

from gpu_gotchas.cli.exits import BadInput, Exit


def command(
    releases: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME==VERSION]...", help="Such as vllm==0.33.0; by default what records ask for."
        ),
    ] = None,
) -> int:
    """Download wheels and keep their Python files, for the package tier. Nothing of them is installed."""
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.repro.packages import PackageError, fetch_package

    terminal = Terminal.standard()
    for release in releases or _asked_for():
        terminal.note(f"Fetching {release}")
        try:
            terminal.line(str(fetch_package(release)))
        except PackageError as error:
            raise BadInput(str(error)) from None
    return Exit.FOUND


def _asked_for() -> list[str]:
    """Every release whose code a repro of the base asks."""
    from gpu_gotchas.records.loading import load_all
    from gpu_gotchas.repro.plan import release_to_ask
    from gpu_gotchas.repro.probe import Tier
    from gpu_gotchas.repro.source import read_repro

    asked = []
    for gotcha in load_all():
        repro = read_repro(gotcha.path)
        release = release_to_ask(gotcha)
        if repro and release and Tier.PACKAGE in repro.tiers:
            asked.append(release)
    return sorted(set(asked))

"""`gotchas fetch`: the source files of an upstream release, for repros that ask its own code."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from gpu_gotchas.cli.exits import BadInput, Exit

if TYPE_CHECKING:
    from gpu_gotchas.records.model import Gotcha
    from gpu_gotchas.repro.source import Repro


def command(
    releases: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME==VERSION]...", help="Such as vllm==0.33.0; by default what records ask for."
        ),
    ] = None,
    light: Annotated[
        bool,
        typer.Option(
            "--light",
            help="Also install, in a folder apart, what importing them whole needs: 450 MB, no torch. "
            "Done without being asked where a record needs it.",
        ),
    ] = False,
) -> int:
    """Download wheels and keep their Python files, for the package tier. Nothing of them is installed."""
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.repro.fetching import fetch_package
    from gpu_gotchas.repro.packages import PackageError
    from gpu_gotchas.repro.upstream.light import fetch_light, has_light

    terminal = Terminal.standard()
    asked = [] if releases else _asked_for()
    wanted = releases or sorted({release for release, _ in asked})
    try:
        if (light or any(repro.needs.imports for _, repro in asked)) and not has_light():
            terminal.note("Installing what importing packages needs")
            terminal.line(str(fetch_light()))
        for number, release in enumerate(wanted, start=1):
            terminal.note(f"Fetching {release} ({number} of {len(wanted)})")
            started = time.monotonic()
            folder = fetch_package(release)
            terminal.note(f"  took {time.monotonic() - started:.0f} s")
            terminal.line(str(folder))
    except PackageError as error:
        raise BadInput(str(error)) from None
    return Exit.FOUND


def _asked_for() -> list[tuple[str, Repro]]:
    """Every release whose code a repro of the base asks."""
    from gpu_gotchas.records.loading import load_all
    from gpu_gotchas.repro.source import read_repro

    asked = []
    for gotcha in load_all():
        repro = read_repro(gotcha.path)
        release = _release(gotcha, repro) if repro else None
        if repro and release:
            asked.append((release, repro))
    return asked


def _release(gotcha: Gotcha, repro: Repro) -> str | None:
    from gpu_gotchas.repro.plan import release_to_ask
    from gpu_gotchas.repro.probe import Tier

    return release_to_ask(gotcha) if Tier.PACKAGE in repro.tiers else None

"""`gotchas sweep`: over which releases of a package a failure is there, found by asking them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpu_gotchas.cli.exits import BadInput, CommandFailed, Exit, UsageFailed

if TYPE_CHECKING:
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.proving.sweep import Sweep
    from gpu_gotchas.records.model import Gotcha
    from gpu_gotchas.repro.results import Result
    from gpu_gotchas.repro.sweeping import Release


class NothingRan(CommandFailed):
    code = Exit.NOTHING_RAN


def command(
    id_: Annotated[str, typer.Argument(metavar="ID", help="The record.")],
    package: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Such as vllm or triton; by default the one that its ranges name."),
    ] = None,
    releases: Annotated[
        str | None,
        typer.Option(metavar="A..B", help="Only releases from A to B; either may be left out."),
    ] = None,
    patches: Annotated[
        bool, typer.Option("--newest-patches", help="Of each minor version only the last release.")
    ] = False,
    bisect: Annotated[
        bool, typer.Option("--bisect", help="Ask only as many as it takes to find one change.")
    ] = False,
    target: Annotated[
        list[str] | None, typer.Option(metavar="TARGET", help="Ask about this target only (repeatable).")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write results to FILE as they come, one line each.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep beside the record what fails and what does not.")
    ] = False,
) -> int:
    """Run a record's package probe on published releases, and hold its version ranges against what they show.

    Exit code 0 when the ranges hold, 1 when a release shows the opposite or ends agree, 5 when none told.
    """
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.proving.sweep import NothingToAsk, Sweep
    from gpu_gotchas.records.loading import load_all
    from gpu_gotchas.repro.packages import PackageError
    from gpu_gotchas.repro.releases import between, newest_patches, published
    from gpu_gotchas.repro.source import read_repro

    terminal = Terminal.standard()
    gotchas = load_all()
    gotcha = next((gotcha for gotcha in gotchas if id_ in (gotcha.id, *gotcha.aliases)), None)
    repro = read_repro(gotcha.path) if gotcha else None
    if gotcha is None or repro is None:
        raise UsageFailed(f"no record with a repro is called {id_}: `gotchas list` names them all")
    name = package or _package(gotcha)
    try:
        first, last = _span(releases)
        wanted = between(published(name), first, last)
        wanted = newest_patches(wanted) if patches else wanted
        if not wanted:
            raise UsageFailed(f"no release of {name} lies in {releases}")
        if report:
            report.write_text("")
        with Sweep(gotcha, repro, name, gotchas=gotchas, targets=target or (), report=report) as sweep:
            seen, results = (_bisected if bisect else _all)(sweep, wanted, terminal)
    except PackageError as error:
        raise BadInput(str(error)) from None
    except NothingToAsk as error:
        raise UsageFailed(str(error)) from None
    if keep:
        _keep(gotcha, results, terminal)
    return _conclude(gotcha, name, seen, terminal)


def _package(gotcha: Gotcha) -> str:
    named = sorted({package for case in gotcha.affects for package in case.software})
    if len(named) == 1:
        return named[0]
    told = f"names {', '.join(named)}" if named else "names no package"
    raise UsageFailed(f"{gotcha.id} {told}: say which with --package")


def _span(text: str | None) -> tuple[str | None, str | None]:
    from packaging.version import InvalidVersion, Version

    if text is None:
        return None, None
    first, dots, last = text.partition("..")
    try:
        for end in filter(None, (first, last)):
            Version(end)
    except InvalidVersion:
        dots = ""
    if not dots:
        raise UsageFailed(f"--releases {text}: write it as 0.16.0..0.33.0, 0.16.0.. or ..0.33.0")
    return first or None, last or None


def _all(sweep: Sweep, wanted: tuple[str, ...], terminal: Terminal) -> tuple[list[Release], list[Result]]:
    seen, results = [], []
    for version in wanted:
        release, found = sweep.ask(version)
        terminal.line(_line(release))
        seen.append(release)
        results += found
    return seen, results


def _bisected(
    sweep: Sweep, wanted: tuple[str, ...], terminal: Terminal
) -> tuple[list[Release], list[Result]]:
    from gpu_gotchas.repro.bisecting import EndsAgree, bisect
    from gpu_gotchas.repro.sweeping import Shown

    seen: dict[str, Release] = {}
    results: list[Result] = []

    def fails(version: str) -> bool | None:
        release, found = sweep.ask(version)
        terminal.line(_line(release))
        seen[version] = release
        results.extend(found)
        return None if release.shown is Shown.UNCLEAR else release.shown is Shown.BAD

    try:
        change = bisect(wanted, fails)
    except EndsAgree as error:
        raise BadInput(f"{error}: leave out --bisect, or name other ends with --releases") from None
    terminal.line(f"It changes between {wanted[change.before]} and {wanted[change.after]}.")
    terminal.note("This takes for granted that it changes once: a fault that came back is not looked for.")
    return [seen[version] for version in wanted if version in seen], results


def _line(release: Release) -> str:
    because = release.because.strip().splitlines()
    return f"{release.version:<12}{release.shown.value:<9}{because[-1][:160] if because else ''}".rstrip()


def _keep(gotcha: Gotcha, results: list[Result], terminal: Terminal) -> None:
    """A release on which the probe failed otherwise says nothing about the record, and is not kept."""
    from gpu_gotchas.repro.keeping import keep
    from gpu_gotchas.repro.sweeping import tells

    kept = keep(gotcha, filter(tells, results))
    terminal.note(f"{gotcha.id}: {kept.added} new, {kept.unchanged} known")


def _conclude(gotcha: Gotcha, package: str, seen: list[Release], terminal: Terminal) -> int:
    from gpu_gotchas.repro.sweeping import Shown, compare, ranges, unsaid

    if all(release.shown is Shown.UNCLEAR for release in seen):
        raise NothingRan(f"no release of {package} told anything")
    for range_ in ranges(seen):
        start = range_.introduced or "the first that was asked"
        end = f"to before {range_.fixed}" if range_.fixed else f"to {range_.last_bad}"
        terminal.line(f"seen to fail: from {start} {end}")
    found = compare(gotcha, package, seen)
    for words, lines in (("measured here", found.measured), ("not measured here", found.believed)):
        for line in lines:
            terminal.line(f"{words}: {line}")
    for line in unsaid(seen, package):
        terminal.line(f"not narrowed down: {line}")
    for line in found.wrong:
        terminal.line(f"against the record: {line}")
    return Exit.NOT_KNOWN if found.wrong else Exit.FOUND

"""`gotchas fixes`: which fixes a machine wants; and, with a verb, the fixes of installed packages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpu_gotchas.cli.exits import Exit, UsageFailed

if TYPE_CHECKING:
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.doctor.wanted import Wanted

JSON_VERSION = 1


def command(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[status | prepare [ID…] | table [RELEASE…] | -- COMMAND …]",
            help="A verb, or what is to run, as for doctor.",
        ),
    ] = None,
    sources: Annotated[
        list[Path] | None, typer.Option("--from", metavar="FILE", help="Another machine, as for doctor.")
    ] = None,
    as_card: Annotated[
        str | None, typer.Option("--as", metavar="CARD", help="A machine with this card, as for doctor.")
    ] = None,
    versions: Annotated[
        list[str] | None, typer.Option("--with", metavar="PACKAGE==VERSION", help="A version.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also against what may happen.")] = False,
    tritons: Annotated[
        list[str] | None, typer.Option("--triton", metavar="RELEASE", help="With table: a further Triton.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="ID", help="With table: this patch alone.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="With table: hold it against what is kept.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The list as JSON.")] = False,
) -> int:
    """List the fixes against what will happen on this machine, or on another.

    Exit code 0 when there is one, 1 when none is wanted or none is known.

    `status` shows what became of the fixes of installed packages in each running process. `prepare` finds out
    what they do to the releases installed here. `table` does so for others, and keeps it.
    """
    machine: dict[str, object] = {"--from": sources, "--as": as_card, "--with": versions, "--all": everything}
    of_table: dict[str, object] = {"--triton": tritons, "--only": only, "--check": check}
    match words:
        case ["status"]:
            _refuse("status", machine | of_table)
            from gpu_gotchas.cli.fixes_status import status

            return status(as_json=as_json)
        case ["prepare", *ids]:
            _refuse("prepare", machine | of_table | {"--json": as_json})
            from gpu_gotchas.cli.fixes_asking import prepare_installed

            return prepare_installed(ids)
        case ["table", *releases]:
            _refuse("table", machine | {"--json": as_json})
            from gpu_gotchas.cli.fixes_asking import make_table

            return make_table(releases, only or (), tritons or (), check=check)
    _refuse("", of_table)
    from gpu_gotchas.cli.doctor_asking import Question, examine
    from gpu_gotchas.cli.doctor_text import situations_lines
    from gpu_gotchas.cli.prose import heading, item, prose
    from gpu_gotchas.cli.terminal import Terminal, bold
    from gpu_gotchas.doctor.assess import Verdict
    from gpu_gotchas.doctor.formats.json_report import remedy
    from gpu_gotchas.doctor.wanted import wanted, workarounds

    question = Question(tuple(words or ()), tuple(sources or ()), as_card, tuple(versions or ()))
    examination = examine(question)
    verdicts = (Verdict.WILL, Verdict.MAY) if everything else (Verdict.WILL,)
    found = wanted(examination.found, verdicts)
    ways = workarounds(examination.found, verdicts)
    terminal = Terminal.standard()
    if as_json:
        against = [{**remedy(one.remedy), "against": list(one.against)} for one in found]
        without = [{"do": way.do, "costs": way.costs, "against": list(ids)} for way, ids in ways]
        terminal.json({"version": JSON_VERSION, "fixes": against, "workarounds": without})
        return Exit.FOUND if found else Exit.NOT_KNOWN
    for line in situations_lines(examination.situations):
        prose(terminal, line, first="", rest="  ")
    typed = [one for one in found if not one.remedy.for_authors]
    for one in typed:
        _print_fix(one, terminal)
    if ways:
        heading(terminal, "Without a fix")
    for way, against_ids in ways:
        costs = f" Costs: {way.costs}" if way.costs else ""
        item(terminal, f"{way.do}{costs} ({', '.join(against_ids)})")
    for one in found[len(typed) :]:
        _print_fix(one, terminal)
    helped = {id for each in (*(one.against for one in found), *(ids for _, ids in ways)) for id in each}
    asked = (one.gotcha.id for one in examination.found if one.verdict in verdicts)
    bare = [id for id in asked if id not in helped]
    if bare:
        terminal.line()
        prose(terminal, f"Nothing is known to help against: {', '.join(bare)}.", first="", rest="  ")
    if not found:
        may = wanted(examination.found, (Verdict.MAY,))
        more = f" Against what may happen there are {len(may)}: add --all." if may and not everything else ""
        terminal.line(bold(f"No fix is wanted here, or none is known.{more}"))
    return Exit.FOUND if found else Exit.NOT_KNOWN


def _print_fix(one: Wanted, terminal: Terminal) -> None:
    from gpu_gotchas.cli.prose import heading, item
    from gpu_gotchas.doctor.advice import AUTHORS

    fix, whom = one.remedy.fix, f"{AUTHORS}: " if one.remedy.for_authors else ""
    heading(terminal, whom + one.remedy.how + ("  (in force)" if one.remedy.active else ""))
    item(terminal, f"{fix.type.value}, {fix.risk.value} risk")
    item(terminal, f"costs: {fix.costs}")
    if one.remedy.open:
        item(terminal, one.remedy.open)
    item(terminal, f"against: {', '.join(one.against)}")


def _refuse(verb: str, given: Mapping[str, object]) -> None:
    """Raises UsageFailed for options that do nothing there."""
    idle = [name for name, value in given.items() if value]
    if not idle:
        return
    right = "they belong to `gotchas fixes table`" if not verb else f"leave out what `{verb}` does not take"
    raise UsageFailed(f"{', '.join(idle)}: no use {f'with {verb}' if verb else 'here'}: {right}")

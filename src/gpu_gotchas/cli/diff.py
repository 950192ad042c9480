"""`gotchas diff`: what an upgrade takes away and brings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpu_gotchas.cli.exits import Exit, UsageFailed

JSON_VERSION = 1


def command(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[-- COMMAND …]", help="What is to run, as for doctor.")
    ] = None,
    before: Annotated[
        list[str] | None, typer.Option("--from", metavar="PACKAGE==VERSION", help="A version before.")
    ] = None,
    after: Annotated[
        list[str] | None, typer.Option("--to", metavar="PACKAGE==VERSION", help="A version after.")
    ] = None,
    as_card: Annotated[
        str | None, typer.Option("--as", metavar="CARD", help="On this card instead of this machine.")
    ] = None,
    machine: Annotated[
        Path | None,
        typer.Option("--machine", metavar="FILE", help="On the machine of this file, as for doctor."),
    ] = None,
    versions: Annotated[
        list[str] | None, typer.Option("--with", metavar="PACKAGE==VERSION", help="A version on both sides.")
    ] = None,
    ignore_file: Annotated[
        Path | None,
        typer.Option("--ignore-file", metavar="FILE", help="Ignores; by default those of ./pyproject.toml."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON.")] = False,
) -> int:
    """Say which gotchas an upgrade leaves behind and which it brings, on this machine or another.

    Exit code 0 when it brings none that will bite, 1 when it does and nothing says to ignore that.
    """
    from gpu_gotchas.cli.doctor_asking import Question, situations_of, without_ignored
    from gpu_gotchas.cli.doctor_text import situations_lines
    from gpu_gotchas.cli.prose import heading, item, prose
    from gpu_gotchas.cli.terminal import Terminal, bold, dim
    from gpu_gotchas.doctor.advice import short_advice
    from gpu_gotchas.doctor.asked import software_with
    from gpu_gotchas.doctor.store import open_knowledge
    from gpu_gotchas.doctor.upgrade import Change, compare

    if not before or not after:
        raise UsageFailed(
            "give both sides, as in\n  gotchas diff --from vllm==0.21.0 --to vllm==0.33.0 --as sm_120"
        )
    try:
        both, old, new = (software_with(pins or ()) for pins in (versions, before, after))
    except ValueError as error:
        raise UsageFailed(f"--from, --to and --with: {error}") from None
    if old.keys() != new.keys():
        raise UsageFailed("--from and --to must name the same packages")
    twice = sorted(both.keys() & old.keys())
    if twice:
        raise UsageFailed(
            f"--with {twice[0]}: --from and --to give its version: leave out --with, which is for both sides"
        )
    question = Question(tuple(words or ()), (machine,) if machine else (), as_card, tuple(versions or ()))
    known = open_knowledge()
    where = situations_of(question, known.settings)
    every = compare(known.records, where, {**both, **old}, {**both, **new}, known.settings)
    parted = without_ignored((one.after for one in every), ignore_file, known)
    ignored = {one.gotcha.id for one, _ in parted.ignored}
    found = [one for one in every if one.after.gotcha.id not in ignored]
    terminal = Terminal.standard()
    brought = any(one.change is Change.NEW and one.after.bites for one in found)
    if as_json:
        terminal.json(
            {
                "version": JSON_VERSION,
                "from": old,
                "to": new,
                "notes": list(dict.fromkeys(note for one in where for note in one.notes)),
                "gotchas": [
                    {
                        "id": one.after.gotcha.id,
                        "title": one.after.gotcha.title,
                        "severity": one.after.gotcha.severity and one.after.gotcha.severity.value,
                        "change": one.change.value.replace(" ", "-"),
                        "before": one.before.verdict.value,
                        "after": one.after.verdict.value,
                        "do": short_advice(one.after),
                        "decide": list(dict.fromkeys((*one.before.open, *one.after.open))),
                    }
                    for one in found
                ],
                "ignored": sorted(ignored),
                "complaints": list(parted.complaints),
            }
        )
        return Exit.NOT_KNOWN if brought else Exit.FOUND
    for line in situations_lines(where):
        if not line.startswith("Software: not known"):
            prose(terminal, line, first="", rest="  ")
    for side, versions_ in (("From", old), ("To", new)):
        named = ", ".join(f"{name} {version or 'none'}" for name, version in versions_.items())
        terminal.line(f"{side}: {named}")
    for change in Change:
        group = [one for one in found if one.change is change]
        if group:
            heading(terminal, f"{change.value.capitalize()} ({len(group)})")
        shown = [one for one in group if change is not Change.STILL or one.after.likely]
        for one in shown:
            verdicts = f"  ({one.before.verdict.value} before, {one.after.verdict.value} after)"
            record = one.after.gotcha
            terminal.line("  ", bold(record.id), dim(verdicts))
            prose(terminal, record.title, first="    ", rest="    ")
            if change in (Change.NEW, Change.UNKNOWN):
                for open_ in dict.fromkeys((*one.before.open, *one.after.open)):
                    prose(terminal, f"? {open_}", first="    ", rest="      ")
            if change in (Change.NEW, Change.STILL):
                prose(terminal, short_advice(one.after), first="    ", rest="      ")
        rest = [one.after.gotcha.id for one in group if one not in shown]
        if rest:
            prose(terminal, f"and where less is known: {', '.join(rest)}", first="  ", rest="    ")
    if ignored:
        heading(terminal, f"Ignored ({len(ignored)})")
        for one_, ignore in parted.ignored:
            item(terminal, f"{one_.gotcha.id}, until {ignore.until}: {ignore.reason}")
    for complaint in parted.complaints:
        terminal.note(f"ignore: {complaint}")
    if not every:
        terminal.line("Nothing that is known concerns either side.")
    return Exit.NOT_KNOWN if brought else Exit.FOUND

"""`gotchas doctor`: what will bite this machine, or another one, before it does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpu_gotchas.cli.exits import Exit, UsageFailed

if TYPE_CHECKING:
    from gpu_gotchas.cli.doctor_asking import Question
    from gpu_gotchas.doctor.examination import Examination
    from gpu_gotchas.doctor.places import Place

FORMATS = ("text", "json", "github", "sarif")


def command(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- COMMAND …]", help="What is to run, such as -- vllm serve MODEL …"),
    ] = None,
    sources: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Another machine: output of collect_env, sglang.check_env, nvidia-smi, rocminfo, rocm-smi "
            "or amd-smi, a Dockerfile, a compose file, a manifest, a script, requirements, a lock file, "
            "or a description; - reads standard input. May be repeated.",
        ),
    ] = None,
    as_card: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="CARD", help="A machine with this card: sm_86, nvidia-h200, 8xnvidia-h200."
        ),
    ] = None,
    versions: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="PACKAGE==VERSION", help="A version, such as vllm==0.19.1."),
    ] = None,
    python: Annotated[
        Path | None,
        typer.Option("--python", help="Whose packages to look at: a virtual environment or a python."),
    ] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Ask torch too, in a child of its own.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Each condition, and how it came out.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All that may happen, and what cannot.")] = False,
    reported: Annotated[
        bool,
        typer.Option(
            "--reported/--proven-only", help="Also what is reported and not proven, or records alone."
        ),
    ] = True,
    ignore_file: Annotated[
        Path | None,
        typer.Option("--ignore-file", metavar="FILE", help="Ignores; by default those of ./pyproject.toml."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    format_: Annotated[str, typer.Option("--format", help="text, json, github or sarif.")] = "text",
) -> int:
    """Say what will bite this machine, before it does.

    Exit code 0 when nothing will, 1 when something will and no fix is in force. What may happen does not
    count: the likeliest is named, with what would decide it, and so is what is reported and not proven.
    """
    from gpu_gotchas.cli.doctor_asking import Question, examine
    from gpu_gotchas.cli.terminal import Terminal

    chosen = "json" if as_json else format_
    if chosen not in FORMATS:
        raise UsageFailed(f"--format: {chosen!r} is none of {', '.join(FORMATS)}")
    if as_json and format_ not in ("text", "json"):
        raise UsageFailed(f"--json and --format {format_} contradict each other: give one")
    if explain and chosen != "text":
        raise UsageFailed(f"--explain is for text, not for {chosen}: JSON tells every condition as it is")
    if everything and chosen not in ("text", "json"):
        raise UsageFailed(f"--all is for text and JSON, not for {chosen}")
    question = Question(
        tuple(words or ()),
        tuple(sources or ()),
        as_card,
        tuple(versions or ()),
        python,
        deep,
        ignore_file,
        reported=reported,
    )
    examination = examine(question)
    terminal = Terminal.standard()
    if chosen == "json":
        from gpu_gotchas.doctor.formats import json_report

        terminal.json(json_report.report(examination, everything=everything))
    elif chosen == "sarif":
        from gpu_gotchas.doctor.formats import sarif

        terminal.json(sarif.report(examination, _places(examination, question)))
    elif chosen == "github":
        from gpu_gotchas.doctor.formats import github

        for line in github.lines(examination, _places(examination, question)):
            terminal.line(line)
    else:
        from gpu_gotchas.cli.doctor_text import print_examination

        print_examination(examination, terminal, explain=explain, everything=everything)
    return Exit.NOT_KNOWN if examination.biting else Exit.FOUND


def _places(examination: Examination, question: Question) -> dict[str, Place]:
    from gpu_gotchas.cli.doctor_places import places_of
    from gpu_gotchas.doctor.store import open_knowledge

    return places_of(examination, question.sources, open_knowledge().settings)

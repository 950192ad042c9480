"""An examination as people read it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from gpu_gotchas.cli.prose import heading, item, prose
from gpu_gotchas.cli.terminal import Style, Styled, Terminal, bold, dim
from gpu_gotchas.doctor.advice import advice
from gpu_gotchas.doctor.assess import Assessment, Verdict
from gpu_gotchas.doctor.conditions import NOT_PROVEN
from gpu_gotchas.doctor.examination import Examination, server_name
from gpu_gotchas.doctor.formats.severity import labels
from gpu_gotchas.doctor.situation import Situation
from gpu_gotchas.doctor.wording import card_words
from gpu_gotchas.hardware.truth import Truth

_SHOWN = (
    "vllm",
    "sglang",
    "torch",
    "triton",
    "nvidia-driver",
    "cuda-runtime",
    "cuda-toolkit",
    "rocm",
    "python",
)
_MARKS = {Truth.YES: "yes", Truth.NO: "no ", Truth.UNKNOWN: "?  "}


def print_examination(
    examination: Examination, terminal: Terminal, *, explain: bool, everything: bool
) -> None:
    """explain: each condition. everything: also what is less likely, and what cannot happen."""
    for line in situations_lines(examination.situations):
        prose(terminal, line, first="", rest="  ")
    named = {one.gotcha.id for one in examination.named}
    may = examination.of(Verdict.MAY)
    parts = (
        ("Will happen", examination.biting, Style.BAD),
        ("Would happen, and a fix in force stops it", examination.held_off, Style.GOOD),
        ("May happen", tuple(one for one in may if one.gotcha.id in named), Style.WARN),
        (
            "Reported, not proven",
            tuple(one for one in examination.reported if one.gotcha.id in named),
            Style.DIM,
        ),
    )
    for title, found, style in parts:
        if found:
            heading(terminal, f"{title} ({len(found)})")
        for one in found:
            _print_one(one, terminal, style, examination.server_words(one.gotcha.id), explain=explain)
    if everything:
        _print_rest(examination, named, terminal, explain=explain)
    if examination.ignored:
        heading(terminal, f"Ignored ({len(examination.ignored)})")
        for one, ignore in examination.ignored:
            item(terminal, f"{one.gotcha.id}, until {ignore.until}: {ignore.reason}")
    terminal.line()
    for complaint in examination.complaints:
        terminal.note(Styled("ignore: ", Style.WARN), complaint)
    terminal.line(_summary(examination))
    for line in _not_told(examination, named):
        if not everything:
            terminal.line(dim(line))


def _print_rest(
    examination: Examination, named: Collection[str], terminal: Terminal, *, explain: bool
) -> None:
    """What is not told without being asked for, a line each; with `explain`, every condition."""
    parts = (
        ("May happen too", examination.of(Verdict.MAY), Style.WARN),
        ("Reported, not proven, and less likely", examination.reported, Style.DIM),
        ("Cannot happen here", examination.of(Verdict.CANNOT), Style.GOOD),
    )
    for title, all_found, style in parts:
        found = [one for one in all_found if one.gotcha.id not in named]
        if found:
            heading(terminal, f"{title} ({len(found)})")
        for one in found:
            if explain or one.verdict is Verdict.CANNOT:
                servers = "" if one.verdict is Verdict.CANNOT else examination.server_words(one.gotcha.id)
                _print_one(one, terminal, style, servers, explain=explain)
            else:
                decide = "; ".join(_decide(one)) or one.gotcha.title
                prose(terminal, f"{one.gotcha.id}: {decide}", first="  ", rest="      ")


def _not_told(examination: Examination, named: Collection[str]) -> Iterator[str]:
    more = sum(one.gotcha.id not in named for one in examination.of(Verdict.MAY))
    reported = sum(one.gotcha.id not in named for one in examination.reported)
    if more or reported:
        counted = [_counted(more, "record"), _counted(reported, "report")]
        yield f"Less likely here, and not shown: {' and '.join(filter(None, counted))} (--all)."
        missing = list(_missing(examination.situation))
        if missing:
            yield f"To settle more of it, add {', '.join(missing)}."
    if not examination.asked_reported:
        yield "What is reported and not proven was not asked."


def _counted(number: int, what: str) -> str:
    return f"{number} more {what}{'s' if number > 1 else ''}" if number else ""


def _missing(situation: Situation) -> Iterator[str]:
    """What nobody has said yet, as the options that say it."""
    machine = situation.machine
    if machine.cards is None:
        yield "the card (--as CARD)"
    if not any(machine.software.get(name) for name in ("vllm", "sglang")):
        yield "a version (--with vllm==VERSION)"
    if situation.launch is None:
        yield "the command (-- vllm serve MODEL …)"


def _decide(one: Assessment) -> list[str]:
    """What would decide it; that a proof is wanted is said by the section."""
    return [line for line in one.open if line != NOT_PROVEN]


def situations_lines(situations: Sequence[Situation]) -> Iterator[str]:
    """The machine, its software, each command, and what is not known."""
    several = len(situations) > 1
    first = list(_situation_lines(situations[0]))
    yield from ([f"Server 1: {server_name(situations[0])}"] if several else [])
    yield from first
    for number, one in enumerate(situations[1:], 2):
        yield f"Server {number}: {server_name(one)}"
        yield from (line for line in _situation_lines(one) if line not in first)


def _situation_lines(situation: Situation) -> Iterator[str]:
    machine = situation.machine
    cards = "not known" if machine.cards is None else ", ".join(card_words(machine.cards)) or "none"
    more = "" if machine.count_known or not machine.cards else ", perhaps more of them"
    yield f"Cards: {cards}{more}"
    versions = [
        f"{name} {machine.software[name]}{' (pinned)' if name in situation.pinned else ''}"
        for name in _SHOWN
        if machine.software.get(name)
    ]
    yield f"Software: {', '.join(versions) or 'not known'}"
    told = [f"{name}={value}" for name, value in machine.settings.items() if name != "card"]
    if told:
        yield "Set: " + ", ".join(told)
    for unknown in machine.unknown:
        yield f"Not known: {unknown.what}, because {unknown.because}"
    for note in situation.notes:
        yield f"Note: {note}"


def _print_one(one: Assessment, terminal: Terminal, style: Style, servers: str, *, explain: bool) -> None:
    record = one.gotcha
    terminal.line()
    terminal.line("  ", Styled(record.id, style), dim(f"  ({labels(one)})"))
    prose(terminal, record.title, first="    ", rest="    ")
    if servers:
        prose(terminal, f"Of {servers}", first="    ", rest="      ")
    if one.verdict is Verdict.MAY and not explain:
        for open_ in _decide(one):
            prose(terminal, f"? {open_}", first="    ", rest="      ")
    if one.verdict is not Verdict.CANNOT and record.status is not None:
        for line in advice(one):
            prose(terminal, line, first="    ", rest="      ")
    if explain or one.verdict is Verdict.CANNOT:
        _print_cases(one, terminal)


def _print_cases(one: Assessment, terminal: Terminal) -> None:
    for number, case in enumerate(one.cases):
        if number:
            terminal.line("    ", dim("or"))
        for part in case.conditions:
            prose(terminal, f"{_MARKS[part.truth]} {part}", first="    ", rest="        ")
            if part.decide:
                prose(terminal, f"would decide it: {part.decide}", first="        ", rest="        ")


def _summary(examination: Examination) -> Styled:
    biting, may = len(examination.biting), len(examination.of(Verdict.MAY))
    held, cannot = len(examination.held_off), len(examination.of(Verdict.CANNOT))
    text = f"{biting} will bite, {may} may, {cannot} cannot."
    return bold(text + (f" {held} would, and a fix in force stops it." if held else ""))

"""An examination as people read it."""

from __future__ import annotations

from collections.abc import Iterator

from gpu_gotchas.cli.prose import heading, item, prose
from gpu_gotchas.cli.terminal import Style, Styled, Terminal, bold, dim
from gpu_gotchas.doctor.assess import Assessment, Verdict
from gpu_gotchas.doctor.examination import Examination
from gpu_gotchas.doctor.remedies import FixState
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
_FIXES = {FixState.ACTIVE: "Fix in force", FixState.AVAILABLE: "Fix", FixState.NONE: "No fix is known"}


def print_examination(
    examination: Examination, terminal: Terminal, *, explain: bool, everything: bool
) -> None:
    """explain: each condition. everything: also what cannot happen."""
    for line in situation_lines(examination.situation):
        prose(terminal, line, first="", rest="  ")
    may = examination.of(Verdict.MAY)
    parts = (
        ("Will happen", examination.of(Verdict.WILL), Style.BAD),
        ("May happen", tuple(one for one in may if one.likely), Style.WARN),
        ("Too little known to say", tuple(one for one in may if not one.likely), Style.DIM),
        ("Cannot happen here", examination.of(Verdict.CANNOT) if everything else (), Style.GOOD),
    )
    for title, found, style in parts:
        if found:
            heading(terminal, f"{title} ({len(found)})")
        for one in found:
            if style is Style.DIM and not explain:
                prose(terminal, f"{one.gotcha.id}: {'; '.join(one.open)}", first="  ", rest="      ")
            else:
                _print_one(one, terminal, style, explain=explain)
    if examination.ignored:
        heading(terminal, f"Ignored ({len(examination.ignored)})")
        for one, ignore in examination.ignored:
            item(terminal, f"{one.gotcha.id}, until {ignore.until}: {ignore.reason}")
    terminal.line()
    for complaint in examination.complaints:
        terminal.note(Styled("ignore: ", Style.WARN), complaint)
    terminal.line(_summary(examination))
    terminal.line(dim("Candidates, reported and not proven, are not asked: gotchas list --status candidate"))


def situation_lines(situation: Situation) -> Iterator[str]:
    """The machine, its software, the command, and what is not known."""
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
    if machine.settings:
        yield "Set: " + ", ".join(f"{name}={value}" for name, value in machine.settings.items())
    for unknown in machine.unknown:
        yield f"Not known: {unknown.what}, because {unknown.because}"
    for note in situation.notes:
        yield f"Note: {note}"


def _print_one(one: Assessment, terminal: Terminal, style: Style, *, explain: bool) -> None:
    record = one.gotcha
    labels = f"  ({record.status.value}, {record.severity.value}, {record.kind.value})"
    terminal.line()
    terminal.line("  ", Styled(record.id, style), dim(labels))
    prose(terminal, record.title, first="    ", rest="    ")
    if one.verdict is Verdict.MAY and not explain:
        for open_ in one.open:
            prose(terminal, f"? {open_}", first="    ", rest="      ")
    if one.verdict is not Verdict.CANNOT:
        for line in advice(one):
            prose(terminal, line, first="    ", rest="      ")
    if explain or one.verdict is Verdict.CANNOT:
        _print_cases(one, terminal)


def advice(one: Assessment) -> Iterator[str]:
    """The fix that is in force, or the first of those that could be, and the first workaround."""
    shown = next((each for each in one.remedies if each.active), one.remedies[0] if one.remedies else None)
    if shown is None:
        yield f"{_FIXES[one.fix]}."
    else:
        yield f"{_FIXES[one.fix]}: {shown.how}  ({shown.fix.type.value}, {shown.fix.risk.value} risk)"
    if one.gotcha.workaround and one.fix is not FixState.ACTIVE:
        yield f"Or: {one.gotcha.workaround[0].do}"


def _print_cases(one: Assessment, terminal: Terminal) -> None:
    for number, case in enumerate(one.cases):
        if number:
            terminal.line("    ", dim("or"))
        for part in case.conditions:
            prose(terminal, f"{_MARKS[part.truth]} {part}", first="    ", rest="        ")
            if part.decide:
                prose(terminal, f"would decide it: {part.decide}", first="        ", rest="        ")


def _summary(examination: Examination) -> Styled:
    biting, may = len(examination.biting), sum(one.likely for one in examination.of(Verdict.MAY))
    little = len(examination.of(Verdict.MAY)) - may
    held, cannot = len(examination.held_off), examination.cannot
    open_ = f"{little} hang on what is not known, " if little else ""
    text = f"{biting} will bite, {may} may, {open_}{cannot} cannot."
    return bold(text + (f" {held} would, and a fix in force stops it." if held else ""))

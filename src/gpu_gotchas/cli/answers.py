"""An answer as text for people."""

from __future__ import annotations

import textwrap

from gpu_gotchas.cli.prose import after_because
from gpu_gotchas.cli.terminal import Style, Styled, Terminal, bold, dim
from gpu_gotchas.search.answer import Answer, Lack, Result, Seen, Verdict
from gpu_gotchas.search.strength import Strength

_LONGEST_SHOWN = 200
_CANDIDATE = "candidate"
_HOMEWORK = "a repro: "
"""How what this project lacks begins: nothing that whoever asks can do."""
_DRAFT = "gotchas new ID --from -"

_HEADLINES = {
    Verdict.THIS_IS_IT: Styled("This is it", Style.GOOD),
    Verdict.LOOKS_LIKE: Styled("Looks like", Style.WARN),
}
_UNKNOWN = {
    None: ("No record explains this text well enough to be named.", "To find out, collect"),
    Lack.FAILURE: (
        "Nothing in it reads like a failure.",
        "If something goes wrong all the same, search again with",
    ),
    Lack.CAUSE: (
        "It holds only the echo of a failure, which is printed whatever the cause was.",
        "The cause stands above, in the log. Search again with",
    ),
}
HOW_STRONG = {
    Strength.STRONG: "A strong likeness, no proof: measured, nine in ten such answers were right.",
    Strength.FAIR: "A fair likeness: measured, four in five such answers were right. Confirm it first.",
    Strength.WEAK: "A weak likeness: measured, half such answers were wrong, more where the cause is new.",
}


def print_answer(answer: Answer, terminal: Terminal, *, explain: bool = False) -> None:
    """The answer on standard output. explain: with every line, template, hole and word that matched."""
    if answer.verdict is Verdict.NOT_KNOWN:
        _print_unknown(answer, terminal)
        _print_nearest(answer, terminal, explain)
        return
    terminal.line(_HEADLINES[answer.verdict], ":" if len(answer.results) == 1 else ", best first:")
    if answer.strength:
        _say(terminal, "", HOW_STRONG[answer.strength])
    for result in answer.results:
        terminal.line()
        _print_result(result, terminal, explain)
    _print_nearest(answer, terminal, explain)
    if explain:
        terminal.line()
        terminal.line(dim(f"Searched the index of {answer.index_date}."))


def _print_unknown(answer: Answer, terminal: Terminal) -> None:
    because, ask = _UNKNOWN[answer.lacks]
    terminal.line(bold("Not known."), f" {because}")
    terminal.line(dim(f"Searched the index of {answer.index_date}."))
    terminal.line()
    terminal.line(ask)
    for wanted in answer.collect:
        _say(terminal, "- ", wanted)
    if answer.lacks is None:
        terminal.line("and draft a record from it, personal things taken out, in a clone of the project:")
        terminal.line("  ", bold(f"{_DRAFT} < error.log"))


def _print_nearest(answer: Answer, terminal: Terminal, explain: bool) -> None:
    if explain and answer.nearest:
        terminal.line()
        terminal.line(dim("Nearest of those not named: "), answer.nearest.id)
        _say(terminal, "", answer.nearest.title)
        _say(terminal, "why not: ", f"{answer.nearest.why}.")


def _print_result(result: Result, terminal: Terminal, explain: bool) -> None:
    standing = "reported, not yet proven" if result.status == _CANDIDATE else result.status
    labels = ", ".join(filter(None, (standing, result.severity, result.kind)))
    terminal.line(bold(result.id), dim(f"  ({labels})"))
    _say(terminal, "", result.title)
    if result.withdrawn:
        _say(terminal, f"{result.status}: withdrawn, because ", after_because(result.withdrawn.because))
        if result.withdrawn.successor:
            _say(terminal, "see instead: ", result.withdrawn.successor)
    if result.helped:
        _say(terminal, "reported to help: ", result.helped)
    if result.believed:
        _say(terminal, "believed: ", result.believed)
    _say(terminal, "why:  ", f"{result.why}.")
    for seen in (*result.lines, *result.context) if explain else result.lines[:1]:
        _print_seen(seen, terminal, explain)
    if not result.lines and result.rests_on:
        terminal.line("  ", dim("line: "), result.rests_on[:_LONGEST_SHOWN])
    if result.confirm and (explain or not result.confirm.startswith(_HOMEWORK)):
        _say(terminal, "would confirm it: ", result.confirm)
    if explain and result.words:
        _say(terminal, "words: ", ", ".join(result.words))
    if explain or result.disagreed:
        for text in result.agreed:
            _say(terminal, "agrees: ", text)
    for text in result.disagreed:
        _say(terminal, "disagrees: ", text)
    for name, text in (result.tell_apart or {}).items():
        _say(terminal, f"unlike {name}: ", text)
    for address in result.reports[: None if explain else 1]:
        terminal.line("  ", dim("reported in: "), address)
    if result.do:
        _say(terminal, "do:   ", result.do)
    for way in result.otherwise:
        _say(terminal, "or:   ", way)
    terminal.line("  ", dim("more: "), f"gotchas show {result.id}")


def _print_seen(seen: Seen, terminal: Terminal, explain: bool) -> None:
    text = seen.text
    if not explain and len(text) > _LONGEST_SHOWN:
        text = text[:_LONGEST_SHOWN] + " …"
    terminal.line("  ", dim(f"line {seen.number}: "), text)
    if explain:
        terminal.line("    ", dim("template: "), seen.template)
        for name, value in seen.holes.items():
            terminal.line("    ", dim(f"{name}: "), value)


def _say(terminal: Terminal, label: str, text: str) -> None:
    """A label and prose, wrapped and indented."""
    whole = " ".join(f"{label}{text}".split())
    first, *rest = textwrap.wrap(
        whole, terminal.width - 2, break_long_words=False, break_on_hyphens=False
    ) or [""]
    head = label.rstrip() if label and first.startswith(label.rstrip()) else ""
    terminal.line("  ", dim(head), first[len(head) :])
    for line in rest:
        terminal.line("    ", line)

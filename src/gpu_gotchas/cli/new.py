"""`gotchas new`: the files of a new gotcha, with blanks to fill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gpu_gotchas.cli.exits import BadInput, Exit, UsageFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_gotchas.cli.draft import Draft
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.records.model import Candidate, Gotcha
    from gpu_gotchas.search.answer import Answer
    from gpu_gotchas.search.lines import Line


def command(
    name: Annotated[str, typer.Argument(metavar="ID", help="Lower-case words joined by hyphens.")],
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="FILE", help="Begin with a paste: a log, or - for standard input."),
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Begin one even if search knows the paste already.")
    ] = False,
) -> int:
    """Begin a gotcha, with blanks to fill.

    Writes its record, its repro, its fix and a test of the fix. Every blank says FILL: and what belongs
    there; `gotchas check gotchas/ID` lists those that are left. With --from, the error line of the paste is
    the draft of a signature, and its telling lines are kept as comments, without homes, hosts, addresses and
    tokens. A paste that search knows already is refused, naming the record: --anyway begins one all the same.
    """
    from datetime import UTC, datetime
    from pathlib import Path

    from gpu_gotchas.cli.place import not_from_here
    from gpu_gotchas.cli.scaffold import files_of
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.records.root import is_checkout, root
    from gpu_gotchas.records.words import ID

    if not is_checkout():
        raise UsageFailed(not_from_here("A new gotcha needs"))
    _refuse_bad_name(name, ID)
    base = root().parent
    today = datetime.now(UTC).date().isoformat()
    terminal = Terminal.standard()
    draft = None if source is None else _draft(source, terminal, anyway)
    files = {base / path: text for path, text in files_of(name, today, draft).items()}
    _refuse_taken(name, [path for path in files if path.exists()])
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            raise BadInput(f"{path} can't be written: {error.strerror or error}") from None
        terminal.line(str(Path(path).relative_to(base)))
    terminal.note(f"Fill the blanks, then run: gotchas check gotchas/{name}")
    return Exit.FOUND


def _draft(source: str, terminal: Terminal, anyway: bool) -> Draft:
    """Raises UsageFailed for an empty paste, and for one that search knows, unless it is wanted anyway."""
    from gpu_gotchas.cli.draft import draft_from
    from gpu_gotchas.cli.reading import log_chunks
    from gpu_gotchas.search.engine import Search
    from gpu_gotchas.search.lines import lines_of
    from gpu_gotchas.search.store import open_index

    known = Search(open_index())

    def searched() -> Iterator[Line]:
        for line in lines_of(log_chunks(source)):
            known.feed([line])
            yield line

    draft = draft_from(searched())
    if not draft.paste:
        raise UsageFailed(f"There is nothing in {source}: give it a log, or a paste")
    _say_what_is_known(known.answer(), terminal, anyway)
    return draft


def _say_what_is_known(answer: Answer, terminal: Terminal, anyway: bool) -> None:
    """A weak likeness is wrong too often to stop anybody."""
    from gpu_gotchas.search.answer import Verdict
    from gpu_gotchas.search.strength import Strength

    if not answer:
        return
    first = answer.results[0]
    sure = answer.verdict is Verdict.THIS_IS_IT
    how = "this is it" if sure else f"a {answer.strength and answer.strength.value} likeness"
    told = f"{first.id} ({first.status}; {how}): {first.title}. Read it: gotchas show {first.id}"
    if anyway or answer.strength is Strength.WEAK:
        terminal.note(f"Search knows of {told}")
        return
    raise UsageFailed(
        f"Search knows this already, and nothing was written. It is {told}\n"
        "Where it is another failure all the same, add --anyway."
        if sure
        else f"Search may know this already, and nothing was written. It looks like {told}\n"
        "Where it is another failure, add --anyway."
    )


def _refuse_bad_name(name: str, pattern: str) -> None:
    import re

    if not re.fullmatch(pattern, name) or len(name) > 80:
        raise UsageFailed(
            f"{name!r} is no id: use lower-case words joined by hyphens, such as triton-fp8-refused"
        )
    if name[0].isdigit():
        raise UsageFailed(f"{name!r} begins with a digit, so its fix could not be a Python module")


def _refuse_taken(name: str, existing: list[object]) -> None:
    """Ids, aliases and candidates share one namespace, and no name is used twice, ever."""
    from gpu_gotchas.records.loading import load_all, load_candidates

    entries: list[Gotcha | Candidate] = [*load_all(), *load_candidates()]
    known = {entry.id: entry.id for entry in entries}
    known |= {alias: entry.id for entry in entries for alias in entry.aliases}
    if name in known:
        other = "" if known[name] == name else f" by {known[name]}"
        raise UsageFailed(f"{name} is taken{other}: choose another name; ids are never used again")
    if existing:
        raise UsageFailed(f"{existing[0]} exists already: choose another name, or move it away")

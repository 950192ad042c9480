"""What `gotchas search` does. The option parser is not needed for it, and takes most of the time to load."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gpu_gotchas.cli.exits import Exit, UsageFailed

if TYPE_CHECKING:
    from pathlib import Path

    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.hardware.machine import Machine
    from gpu_gotchas.search.answer import Answer

_LOGS = (".log", ".txt", ".out", ".err", ".gz", ".xz", ".bz2", ".zst", ".zip")
_HOW = (
    "give a text, a FILE, or - for standard input, as in\n"
    '  gotchas search "type fp8e4nv not supported in this architecture"'
)


def answer(
    text: Sequence[str] = (),
    file: Path | None = None,
    *,
    tee: bool = False,
    as_target: str | None = None,
    as_json: bool = False,
    explain: bool = False,
) -> int:
    """Searches and prints; returns the exit code. The arguments are those of the command."""
    from gpu_gotchas.cli.answers import print_answer
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.search.answer import Verdict
    from gpu_gotchas.search.engine import Search
    from gpu_gotchas.search.lines import LineSplitter
    from gpu_gotchas.search.store import open_index

    if explain and as_json:
        raise UsageFailed("--explain is for text: --json tells every match in full as it is")
    machine = _machine(as_target)
    words = " ".join(text)
    terminal = Terminal.beside_a_copy() if tee else Terminal.standard()
    if file is None and not tee and len(text) == 1:
        file = _named(words, terminal)
        words = "" if file else words
    chunks = _chunks(words, file, tee)
    run = Search(open_index(), watching=tee and not as_json)
    splitter = LineSplitter()
    said: Answer | None = None
    try:
        for chunk in chunks:
            run.feed(splitter.feed(chunk))
            if run.news() and (early := run.answer(machine)).verdict is Verdict.THIS_IS_IT:
                if not _same(early, said):
                    print_answer(early, terminal, explain=explain)
                    terminal.flush()
                said = early
    except KeyboardInterrupt:
        if not tee and "-" not in (words, str(file)):
            raise  # of a stream, what has come so far is answered
    run.feed(splitter.finish())
    found = run.answer(machine)
    if run.empty:
        raise UsageFailed(f"There is nothing in the text: {_HOW}")
    if as_json:
        terminal.json(found.to_json())
    elif not _same(found, said):
        print_answer(found, terminal, explain=explain)
    return Exit.FOUND if found.results else Exit.NOT_KNOWN


def _same(one: Answer, other: Answer | None) -> bool:
    """Whether nothing would be said that was not said before."""
    if other is None or one.verdict is not other.verdict:
        return False
    return [result.id for result in one.results] == [result.id for result in other.results]


def _named(text: str, terminal: Terminal) -> Path | None:
    """The file that a single argument names: whoever gives one means what is in it, and is told so."""
    if os.path.isdir(text):  # noqa: PTH112 - no text is too long for it
        if os.sep in text:
            within = os.path.join(text, "FILE")  # noqa: PTH118
            raise UsageFailed(f"{text} is a folder: give a log in it, as in gotchas search {within}")
    elif text != "-" and os.path.exists(text):  # noqa: PTH110
        terminal.note(f"{text} is a file: this is about what is in it.")
        from pathlib import Path

        return Path(text)
    elif text.endswith(_LOGS) and not text.strip().count(" "):
        terminal.note(f"There is no file {text} here: searched as words.")
    return None


def _chunks(text: str, file: Path | None, tee: bool) -> Iterator[bytes]:
    if tee:
        if file is not None or text not in ("", "-"):
            raise UsageFailed(
                "--tee passes standard input through: give it with -, and no other text or file."
            )
        from gpu_gotchas.cli.reading import tee_chunks

        return tee_chunks()
    if file is not None and text:
        raise UsageFailed("Give a text or a file, not both.")
    if file is None and text != "-":
        if not text.strip():
            raise UsageFailed(f"No text was given: {_HOW}")
        return iter([text.encode("utf-8", "replace")])
    from gpu_gotchas.cli.reading import log_chunks

    return log_chunks(str(file or text))


def _machine(target: str | None) -> Machine | None:
    if target is None:
        return None
    from gpu_gotchas.hardware.catalogue import UnknownName
    from gpu_gotchas.search.evidence import machine_with

    try:
        return machine_with(target)
    except UnknownName as error:
        raise UsageFailed(f"--as {target}: {error}") from None

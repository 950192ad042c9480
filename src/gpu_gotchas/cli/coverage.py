"""`gotchas coverage`: for which cards compiled extensions carry code, before one says *no kernel image*."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from gpu_gotchas.cli.exits import BadInput, Exit, UsageFailed

JSON_VERSION = 1
_SUFFIXES = (".so", ".pyd", ".dll", ".fatbin", ".hsaco")


def command(
    things: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|FOLDER|PACKAGE…", help="Libraries, folders of them, or installed packages."
        ),
    ],
    as_card: Annotated[
        str | None,
        typer.Option("--as", metavar="CARD", help="Ask for this card: sm_86, rtx-3090. By default yours."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON.")] = False,
) -> int:
    """Say for which cards compiled extensions carry code or PTX.

    Exit code 1 when one that carries device code has none for the card. Files without any are left out.
    """
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.fixes.arch_coverage import Answer, coverage

    targets = _targets(as_card)
    terminal = Terminal.standard()
    found = []
    for file in sorted({file for thing in things for file in _files(thing)}):
        try:
            covered = coverage(file)
        except OSError as error:
            raise BadInput(f"{file}: {error.strerror or error}") from None
        if covered.code or covered.unreadable:
            found.append((file, covered, {target: covered.runs_on(target) for target in targets}))
    if as_json:
        terminal.json(
            {
                "version": JSON_VERSION,
                "files": [
                    {
                        "file": str(file),
                        "targets": list(covered.targets),
                        "unreadable": list(covered.unreadable),
                        "runs_on": {target: answer.value for target, answer in answers.items()},
                    }
                    for file, covered, answers in found
                ],
            }
        )
    else:
        for file, covered, answers in found:
            terminal.line(f"{file}: {', '.join(covered.targets) or 'unknown'}")
            for reason in covered.unreadable:
                terminal.line(f"  not read: {reason}")
            for target, answer in answers.items():
                terminal.line(f"  {target}: {_WORDS[answer.value]}")
        if not found:
            terminal.line("No device code was found.")
    missing = any(Answer.NOT in answers.values() for *_, answers in found)
    return Exit.NOT_KNOWN if missing else Exit.FOUND


_WORDS = {
    "natively": "carries machine code for it",
    "compiled": "runs from PTX, which the driver compiles at the first load",
    "not": "no code and no PTX for it: no kernel image is available",
    "unknown": "not promised to run",
}


def _targets(as_card: str | None) -> tuple[str, ...]:
    """The card that was asked for, or those of this machine; none where they are not known."""
    if as_card is None:
        from gpu_gotchas.hardware.detect import this_machine

        cards = this_machine().cards or ()
        return tuple(dict.fromkeys(card.target.name for card in cards if card.target is not None))
    from gpu_gotchas.hardware.catalogue import UnknownName, find_target

    try:
        return (find_target(as_card).name,)
    except UnknownName as error:
        raise UsageFailed(f"--as {as_card}: {error}") from None


def _files(thing: str) -> Iterator[Path]:
    """A path that is there goes before a package of that name."""
    path = Path(thing)
    if path.is_dir():
        yield from (file for file in path.rglob("*") if _is_library(file))
    elif path.is_file():
        yield path
    elif path.exists():
        raise BadInput(f"{path}: is no file")
    else:
        yield from _of_package(thing)


def _of_package(name: str) -> Iterator[Path]:
    from importlib import metadata

    try:
        installed = metadata.distribution(name)
    except (metadata.PackageNotFoundError, ValueError):
        raise BadInput(f"{name}: neither a file or folder that is there nor an installed package") from None
    for file in installed.files or ():
        path = Path(str(installed.locate_file(file)))
        if _is_library(path):
            yield path


def _is_library(path: Path) -> bool:
    """By name, versioned ones such as `libfoo.so.1` too."""
    return (path.suffix in _SUFFIXES or ".so." in path.name) and path.is_file()

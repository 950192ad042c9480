"""The command line. What answers fastest comes first: neither the version nor a plain search needs the option
parser, whose import takes longer than either."""

from __future__ import annotations

import sys
from collections.abc import Sequence

_SELDOM = 50_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code (see `cli.exits`).

    arguments: what follows the command's name; by default that of the process.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given in (["--version"], ["-V"]):
        from gpu_gotchas import __version__

        sys.stdout.write(f"gotchas {__version__}\n")
        return 0
    return _run(given) if arguments is not None else _as_a_process(given)


def _run(given: Sequence[str]) -> int:
    if len(given) > 1 and given[0] == "search" and all(_is_plain(word) for word in given[1:]):
        from gpu_gotchas.cli.guard import guarded
        from gpu_gotchas.cli.searching import answer

        return guarded(lambda: answer(given[1:]))
    from gpu_gotchas.cli.app import run

    return run(given)


def _is_plain(word: str) -> bool:
    """Whether the option parser would take it as it is."""
    return word == "-" or not word.startswith("-")


def _as_a_process(given: Sequence[str]) -> int:
    """Starting makes much and drops little, and so does ending: collecting garbage is a sixth of the time."""
    import gc

    gc.set_threshold(_SELDOM)
    try:
        return _run(given)
    finally:
        gc.freeze()

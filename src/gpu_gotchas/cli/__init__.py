"""The command line. What answers fastest comes first: the version needs no option parser."""

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
    if arguments is not None:
        from gpu_gotchas.cli.app import run

        return run(given)
    return _as_a_process(given)


def _as_a_process(given: Sequence[str]) -> int:
    """Starting makes much and drops little, and so does ending: collecting garbage is a sixth of the time."""
    import gc

    gc.set_threshold(_SELDOM)
    from gpu_gotchas.cli.app import run

    try:
        return run(given)
    finally:
        gc.freeze()

"""What becomes of the exceptions of a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from gpu_gotchas.cli.exits import CommandFailed, Exit
from gpu_gotchas.cli.terminal import Style, Styled, Terminal

REPORT_TO = "the project's issue tracker"
TRACEBACK_VARIABLE = "GOTCHAS_TRACEBACK"


def guarded(work: Callable[[], int]) -> int:
    """Runs one command. Never raises: whatever goes wrong ends in a short message and an exit code."""
    terminal = Terminal.standard()
    try:
        code = work()
        terminal.flush()
        return code
    except BrokenPipeError:
        return _pipe_closed()
    except KeyboardInterrupt:
        return 130
    except CommandFailed as error:
        for line in str(error).split("\n"):
            terminal.note(line)
        return error.code
    except Exception as error:
        return _fault(error, terminal)


def _pipe_closed() -> int:
    """Whoever read our output has had enough. Python would complain at exit, so it gets a pipe that holds."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    return Exit.FOUND


def _fault(error: Exception, terminal: Terminal) -> int:
    from gpu_gotchas.records.problems import RecordErrors

    if isinstance(error, RecordErrors):
        for problem in error.problems:
            terminal.note(str(problem))
        return Exit.BAD_INPUT
    if os.environ.get(TRACEBACK_VARIABLE):
        import traceback

        for line in "".join(traceback.format_exception(error)).split("\n"):
            terminal.note(line)
    terminal.note(
        Styled("This is a fault of gotchas itself: ", Style.BAD), f"{type(error).__name__}: {error}"
    )
    terminal.note(f"Please report it to {REPORT_TO}, with the command and what {TRACEBACK_VARIABLE}=1 shows.")
    return Exit.OUR_FAULT

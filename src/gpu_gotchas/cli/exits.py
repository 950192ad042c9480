"""Exit codes, and the exceptions that lead to them."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    FOUND = 0
    """Found, or clean."""
    NOT_KNOWN = 1
    """Not known, or there are findings."""
    USAGE = 2
    OUR_FAULT = 3
    BAD_INPUT = 4
    NOTHING_RAN = 5


class CommandFailed(Exception):
    """Ends a command with a message for its user. Each message says what would be right."""

    code = Exit.OUR_FAULT


class UsageFailed(CommandFailed):
    code = Exit.USAGE


class BadInput(CommandFailed):
    code = Exit.BAD_INPUT

"""`gotchas mcp`: search, records and the doctor as tools for coding agents."""

from __future__ import annotations

import sys

from gpu_gotchas.cli.exits import CommandFailed, Exit
from gpu_gotchas.cli.mcp.wire import standard_input


class NoSdk(CommandFailed):
    code = Exit.NOTHING_RAN


def command() -> int:
    """Serve search, get and doctor to a coding agent, over standard input and output.

    It needs the extra `mcp`, and speaks the Model Context Protocol: an agent starts it, not a person. The
    tools only read, and nothing leaves this machine.
    """
    try:
        from gpu_gotchas.cli.mcp.server import server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise NoSdk("The tools need the official SDK. From a clone: pip install '.[mcp]'") from None
    sys.stdin = standard_input()
    server().run("stdio")
    return Exit.FOUND

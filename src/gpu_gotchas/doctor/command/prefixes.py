"""What stands before a command: assignments, and programs that only start another one."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_STARTERS = (
    "sudo",
    "nohup",
    "exec",
    "time",
    "env",
    "export",
    "setsid",
    "stdbuf",
    "nice",
    "numactl",
    "taskset",
)
_SHELLS = ("sh", "bash", "zsh", "dash", "ash", "ksh")
# Options of starters that take a value of their own.
_WITH_VALUE = ("-u", "-n", "-C", "--chdir", "-c", "--unset")


def strip_prefixes(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The variables that are set for the command, and the command without what only starts it."""
    environment: dict[str, str] = {}
    rest = list(words)
    while rest:
        match = _ASSIGNMENT.fullmatch(rest[0])
        name = rest[0].rpartition("/")[2]
        if match:
            environment[match[1]] = match[2]
            rest = rest[1:]
        elif rest[0] in ("$", "#") and rest[1:]:  # a prompt that was pasted along
            rest = rest[1:]
        elif name in _STARTERS:
            rest = _options_off(rest[1:])
        elif name in ("uv", "poetry", "pipenv", "pdm", "rye") and rest[1:2] == ["run"]:
            rest = _options_off(rest[2:])
        else:
            break
    return environment, rest


def shell_text(words: Sequence[str]) -> str | None:
    """The text that a shell is given to run (`bash -lc TEXT`), None where the command is no such shell."""
    if not words or words[0].rpartition("/")[2] not in _SHELLS:
        return None
    rest = list(words[1:])
    while rest and rest[0].startswith(("-", "+")):
        option = rest.pop(0)
        if not option.startswith("--") and "c" in option:
            return rest[0] if rest else None
        if option in ("-o", "+o"):
            rest = rest[1:]
    return None


def _options_off(words: Sequence[str]) -> list[str]:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in _WITH_VALUE else rest[1:]
    return rest

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
_SHELLS = ("sh", "bash", "zsh", "/bin/sh", "/bin/bash")
# Options of starters that take a value of their own.
_WITH_VALUE = ("-u", "-n", "-C", "--chdir", "-c", "--unset")


def strip_prefixes(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The variables that are set for the command, and the command without what only starts it."""
    environment: dict[str, str] = {}
    rest = [word for word in words if word not in ("\\", "\n", "\\\n")]
    while rest:
        match = _ASSIGNMENT.fullmatch(rest[0])
        name = rest[0].rpartition("/")[2]
        if match:
            environment[match[1]] = match[2]
            rest = rest[1:]
        elif rest[0] in ("&&", ";", "&", "$", "#"):
            rest = rest[1:]
        elif name in _STARTERS:
            rest = _options_off(rest[1:])
        elif rest[0] in _SHELLS and len(rest) > 2 and rest[1].startswith("-") and "c" in rest[1]:
            rest = [*split_words(rest[2]), *rest[3:]]
        elif name in ("uv", "poetry", "pipenv", "pdm", "rye") and rest[1:2] == ["run"]:
            rest = _options_off(rest[2:])
        else:
            break
    return environment, rest


def split_words(text: str) -> list[str]:
    """Words as a shell would split them, or by blanks where quotes do not close."""
    import shlex  # only where a shell stands inside a command

    try:
        return shlex.split(text.replace("\\\n", " "), comments=False)
    except ValueError:
        return text.split()


def _options_off(words: Sequence[str]) -> list[str]:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in _WITH_VALUE else rest[1:]
    return rest

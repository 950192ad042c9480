"""An option that takes one value and is given twice: Typer would take the last and drop the other in
silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpu_gotchas.cli.exits import UsageFailed


def refuse_repeated(command: Any, arguments: Sequence[str]) -> None:
    """Raises UsageFailed for an option of `command` (a click command or group) that contradicts itself.

    What stands behind `--` is another program's.
    """
    options = {name: one for one in command.params for name in (*one.opts, *one.secondary_opts)}
    given: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return
        below = getattr(command, "commands", {}).get(word)
        if below is not None:
            refuse_repeated(below, rest)
            return
        name, joined, _ = word.partition("=")
        option = options.get(name) if word.startswith("-") else None
        if option is None:
            continue
        flag = option.is_flag
        if not flag and not joined:
            rest = rest[1:]
        before = given.get(option.name)
        given[option.name] = name
        if before is None or option.multiple:
            continue
        if not flag:
            raise UsageFailed(f"{name} is given twice, and takes one value: give one")
        if (before in option.secondary_opts) != (name in option.secondary_opts):
            raise UsageFailed(f"{before} and {name} contradict each other: give one")

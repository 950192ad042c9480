"""Lock files: uv.lock, poetry.lock, pdm.lock, pylock.toml, and the exact pins of a pyproject.toml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.packages import software_of_pins
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.doctor.readers.requirements import pins
from gpu_gotchas.hardware.machine import Machine

_LOCK = re.compile(r"^\[\[packages?\]\]\s*$", re.MULTILINE)
_PROJECT = re.compile(r"^\[(?:project|tool\.poetry|build-system)\]\s*$", re.MULTILINE)


def recognises(text: Text) -> bool:
    return bool(_LOCK.search(text.text) or _PROJECT.search(text.text))


def read(text: Text) -> Facts:
    """Raises ValueError for text that is no TOML."""
    import tomllib  # only where there is TOML

    try:
        data = tomllib.loads(text.text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"is no TOML: {error}") from None
    return Facts(Machine(software=software_of_pins(_pins(data)), described=True))


def _pins(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key in ("package", "packages"):
        for entry in _list(data.get(key)):
            if isinstance(entry, dict):
                name, version = entry.get("name"), entry.get("version")
                if isinstance(name, str) and isinstance(version, str):
                    yield name, version
    project = data.get("project")
    if isinstance(project, dict):
        yield from pins(line for line in _list(project.get("dependencies")) if isinstance(line, str))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


READER = Reader("lock file", recognises, read, whole=True)

"""Lock files: uv.lock, poetry.lock, pdm.lock, pylock.toml, Pipfile.lock, and the exact pins of a
pyproject.toml."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.markers import any_marker
from gpu_gotchas.doctor.packages import software_of_pins
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.doctor.readers.requirements import pins
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth

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
                    yield from _counted(name, version, _markers(entry))
    project = data.get("project")
    if isinstance(project, dict):
        yield from pins(line for line in _list(project.get("dependencies")) if isinstance(line, str))


def _markers(entry: dict[str, Any]) -> list[str]:
    """One of these must hold: of uv.lock, of pylock.toml, and of poetry.lock, which may give one for each
    group."""
    found = entry.get("resolution-markers") or entry.get("marker") or entry.get("markers") or []
    if isinstance(found, dict):
        found = list(found.values())
    return [one for one in (found if isinstance(found, list) else [found]) if isinstance(one, str)]


def _counted(name: str, version: str, markers: list[str]) -> Iterator[tuple[str, str]]:
    holds = any_marker(markers) if markers else Truth.YES
    if holds is not Truth.NO:
        yield name, version
    if holds is Truth.UNKNOWN:
        yield name, ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _recognises_pipfile(text: Text) -> bool:
    return text.text.lstrip().startswith("{") and '"pipfile-spec"' in text.text and '"default"' in text.text


def _read_pipfile(text: Text) -> Facts:
    """The packages that are not for development alone. Raises ValueError for text that is no JSON."""
    try:
        data = json.loads(text.text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is no JSON: {error}") from None
    found: list[tuple[str, str]] = []
    default = data.get("default") if isinstance(data, dict) else None
    for name, entry in default.items() if isinstance(default, dict) else ():
        version = entry.get("version") if isinstance(entry, dict) else None
        if isinstance(version, str):
            found += _counted(name, version.removeprefix("=="), _markers(entry))
    return Facts(Machine(software=software_of_pins(found), described=True))


READER = Reader("lock file", recognises, read, whole=True)
PIPFILE = Reader("Pipfile.lock", _recognises_pipfile, _read_pipfile, whole=True)

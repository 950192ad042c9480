"""Where in a file a finding lies: the line of the flag, the variable or the pin that brings it about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpu_gotchas.doctor.assess import Assessment
from gpu_gotchas.doctor.command.launch import Launch
from gpu_gotchas.doctor.conditions import Condition, Kind
from gpu_gotchas.hardware.package_names import OTHER_NAMES
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.setting import Setting

_ENGINES = ("vllm", "sglang")
_MOST_LINES = 20_000


@dataclass(frozen=True, slots=True)
class Place:
    """file: relative to the folder that was asked from, with forward slashes. line: from 1, None where no
    line of it says why."""

    file: str
    line: int | None = None


def line_of(text: str, one: Assessment, launch: Launch | None, known: Mapping[str, Setting]) -> int | None:
    """The line that says most of why `one` may happen, of several the one nearest to the server's own.

    launch: of the server that meets it. None where no line says anything.
    """
    lines = [_said(line) for line in text.splitlines()[:_MOST_LINES]]
    server = _server_line(lines, launch)
    parts = one.closest.conditions if one.closest else ()
    telling = [part for part in parts if part.truth is not Truth.NO and not part.by_default]
    telling.sort(key=lambda part: (part.truth is not Truth.YES, part.kind is not Kind.SETTING))
    for part in telling:
        for needle in _needles(part, known):
            found = [number for number, line in enumerate(lines) if needle.search(line)]
            if found:
                return min(found, key=lambda number: abs(number - (server or 0))) + 1
    return None if server is None else server + 1


def _said(line: str) -> str:
    return "" if line.lstrip().startswith("#") else line[:2000]


def _server_line(lines: Sequence[str], launch: Launch | None) -> int | None:
    """Where the model is named, else where an engine is."""
    if launch is None:
        return None
    names = [launch.model] if launch.model else []
    for name in (*names, launch.package):
        word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        found = next((number for number, line in enumerate(lines) if word.search(line)), None)
        if found is not None:
            return found
    return None


def _needles(part: Condition, known: Mapping[str, Setting]) -> Iterator[re.Pattern[str]]:
    if part.kind is Kind.SETTING and (setting := known.get(part.name)) is not None:
        flags = (setting.flag, *setting.aliases) if setting.key is None else setting.aliases
        for way in filter(None, (*flags, setting.flag, setting.variable)):
            spelt = re.escape(way).replace(r"\-", "[-_]")
            yield re.compile(rf"(?<![\w-]){spelt}(?![\w-])")
    elif part.kind is Kind.SOFTWARE:
        names = "|".join(map(_spelt, (part.name, *OTHER_NAMES.get(part.name, ()))))
        yield re.compile(rf"(?i)(?<![\w-])(?:{names})\b.*{re.escape(part.found)}(?![\w.])")
        if part.name not in _ENGINES:  # the engine's own name stands in every command
            yield re.compile(rf"(?i)^\W*(?:{names})\b")


def _spelt(package: str) -> str:
    return re.escape(package).replace(r"\-", "[-_.]")

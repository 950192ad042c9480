"""A Dockerfile: the image it builds on, what it pins, the variables it sets, the command it ends in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from gpu_gotchas.doctor.command.prefixes import split_words
from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.images import software_of
from gpu_gotchas.doctor.packages import software_of_pins
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.doctor.readers.requirements import pins
from gpu_gotchas.hardware.machine import Machine

_INSTRUCTION = re.compile(r"^\s*(FROM|RUN|ENV|ARG|CMD|ENTRYPOINT)\s+(.*)$", re.IGNORECASE)
_FROM = re.compile(r"(?:--platform=\S+\s+)?(\S+)(?:\s+as\s+(\S+))?\s*", re.IGNORECASE)
_HOLE = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
_INSTALLS = re.compile(r"\b(?:pip[0-9.]*|uv|conda|mamba)\b.*\binstall\b")
MAX_INSTRUCTIONS = 10_000


def recognises(text: Text) -> bool:
    """Whether it begins with FROM and an image, after comments and ARG at most."""
    for line in text.text.splitlines()[:500]:
        match = _INSTRUCTION.match(line)
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if match is None or match[1].upper() != "ARG":
            return bool(match and match[1].upper() == "FROM" and _FROM.fullmatch(match[2].strip()))
    return False


def read(text: Text) -> Facts:
    """The last stage, and those that it is built on."""
    arguments: dict[str, str] = {}
    stages: dict[str, _Stage] = {}
    stage = _Stage()
    for number, (kind, rest) in enumerate(_instructions(text.text.splitlines())):
        if number > MAX_INSTRUCTIONS:
            raise ValueError(f"has more than {MAX_INSTRUCTIONS} instructions")
        rest = _HOLE.sub(lambda hole: arguments.get(hole[1], hole[0]), rest)[:20_000]
        if kind == "FROM" and (match := _FROM.fullmatch(rest)):
            stage = _Stage(stages.get(match[1].lower()))
            if match[1].lower() not in stages:
                stage.image = match[1]
            stage.software.update(software_of(match[1]))
            if match[2]:
                stages[match[2].lower()] = stage
        elif kind in ("ARG", "ENV"):
            for name, value in _assigned(rest):
                arguments[name] = value
                if kind == "ENV":
                    stage.environment[name] = value
        elif kind == "RUN" and _INSTALLS.search(rest):
            stage.pins += pins(split_words(rest))
        elif kind in ("CMD", "ENTRYPOINT"):
            stage.ends[kind] = _words(rest)
    software = {**stage.software, **software_of_pins(stage.pins)}
    return Facts(
        machine=Machine(software=software, platform={"container": True, "linux": True}, described=True),
        environment=stage.environment,
        image=stage.image,
        command=(*stage.ends.get("ENTRYPOINT", ()), *stage.ends.get("CMD", ())),
    )


class _Stage:
    """One stage while it is read; it begins as the one that it is built on."""

    def __init__(self, base: _Stage | None = None) -> None:
        self.software: dict[str, str | None] = dict(base.software) if base else {}
        self.environment: dict[str, str] = dict(base.environment) if base else {}
        self.pins: list[tuple[str, str]] = list(base.pins) if base else []
        self.ends: dict[str, tuple[str, ...]] = dict(base.ends) if base else {}
        self.image: str | None = base.image if base else None


def _instructions(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each instruction with what follows it, its continued lines joined."""
    held = ""
    for line in lines:
        if not held and line.lstrip().startswith("#"):
            continue
        if line.strip().startswith("#"):
            continue
        if line.rstrip().endswith("\\") and len(held) < 100_000:
            held += line.rstrip()[:-1] + " "
            continue
        match = _INSTRUCTION.match(held + line)
        held = ""
        if match:
            yield match[1].upper(), match[2].strip()


def _assigned(rest: str) -> Iterator[tuple[str, str]]:
    words = split_words(rest)
    if words and "=" not in words[0]:
        if len(words) > 1:  # the old form, ENV NAME VALUE
            yield words[0], " ".join(words[1:])
        return
    for word in words:
        name, joined, value = word.partition("=")
        if joined:
            yield name, value


def _words(rest: str) -> tuple[str, ...]:
    if rest.startswith("["):
        try:
            found = json.loads(rest)
        except (ValueError, RecursionError):
            return ()
        return tuple(word for word in found if isinstance(word, str)) if isinstance(found, list) else ()
    return tuple(split_words(rest))


READER = Reader("Dockerfile", recognises, read, whole=True)

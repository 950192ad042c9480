"""A Dockerfile: the image it builds on, what it pins, the variables it sets, the command it ends in."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping

from gpu_gotchas.doctor.command.prefixes import strip_prefixes
from gpu_gotchas.doctor.command.shell import commands_of_text
from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.images import is_for_cpu, software_of
from gpu_gotchas.doctor.installs import read_install
from gpu_gotchas.doctor.packages import add_cuda_runtime
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.hardware.machine import Machine

_INSTRUCTION = re.compile(r"^\s*(FROM|RUN|ENV|ARG|CMD|ENTRYPOINT)\s+(.*)$", re.IGNORECASE)
_FROM = re.compile(r"(?:--platform=\S+\s+)?(\S+)(?:\s+as\s+(\S+))?\s*", re.IGNORECASE)
_HOLE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)(?::?-([^}$]*))?\}|([A-Za-z_][A-Za-z0-9_]*))")
_RUN_OPTION = re.compile(r"--(?:mount|network|security|device)=\S+\s+")
_HERE = re.compile(r"<<-?\s*[\"']?([A-Za-z_]\w*)[\"']?")
_SHELL = ("/bin/sh", "-c")
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
        if kind != "RUN":
            rest = _filled(rest, arguments)
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
        elif kind == "RUN":
            stage.run(_RUN_OPTION.sub("", rest), arguments)
        elif kind in ("CMD", "ENTRYPOINT"):
            if kind == "ENTRYPOINT":
                stage.ends.pop("CMD", None)  # as docker does: the command of the base was for another one
            stage.ends[kind] = _words(rest)
    add_cuda_runtime(stage.software)
    if is_for_cpu(stage.image or ""):
        stage.environment.setdefault("VLLM_TARGET_DEVICE", "cpu")
    command = stage.command
    return Facts(
        machine=Machine(software=stage.software, platform={"container": True, "linux": True}, described=True),
        environment=stage.environment,
        image=None if "ENTRYPOINT" in stage.ends else stage.image,
        commands=(command,) if command else (),
    )


class _Stage:
    """One stage while it is read; it begins as the one that it is built on."""

    def __init__(self, base: _Stage | None = None) -> None:
        self.software: dict[str, str | None] = dict(base.software) if base else {}
        self.environment: dict[str, str] = dict(base.environment) if base else {}
        self.ends: dict[str, tuple[str, ...]] = dict(base.ends) if base else {}
        self.image: str | None = base.image if base else None

    def run(self, text: str, arguments: Mapping[str, str]) -> None:
        """What its commands install and remove, each in its turn."""
        words = _exec_form(text)
        assigned = "\n".join(f"{name}={shlex.quote(value)}" for name, value in arguments.items())
        for command in [words] if words is not None else commands_of_text(f"{assigned}\n{text}"[:100_000]):
            change = read_install(strip_prefixes(command)[1])
            if change is not None:
                self.software = change.applied(self.software)

    @property
    def command(self) -> tuple[str, ...]:
        """As docker puts it together: an entrypoint that a shell reads takes no command."""
        entry, command = self.ends.get("ENTRYPOINT", ()), self.ends.get("CMD", ())
        return entry if entry[:2] == _SHELL else (*entry, *command)


def _filled(text: str, arguments: Mapping[str, str]) -> str:
    """With the arguments that are known, and with the default that stands in the hole."""

    def value(hole: re.Match[str]) -> str:
        return arguments.get(hole[1] or hole[3], hole[0] if hole[2] is None else hole[2])

    return _HOLE.sub(value, text)[:20_000]


def _instructions(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each instruction with what follows it, its continued lines and its here-document joined."""
    held, document, name = "", list[str](), ""
    for line in lines:
        if name:
            if line.strip() == name:
                yield "RUN", "\n".join(document)
                document, name = [], ""
            else:
                document.append(line)
            continue
        if line.lstrip().startswith("#"):
            continue
        if line.rstrip().endswith("\\") and len(held) < 100_000:
            held += line.rstrip()[:-1] + " "
            continue
        match = _INSTRUCTION.match(held + line)
        held = ""
        if match and match[1].upper() == "RUN" and (here := _HERE.match(_RUN_OPTION.sub("", match[2]))):
            name = here[1]
        elif match:
            yield match[1].upper(), match[2].strip()


def _assigned(rest: str) -> Iterator[tuple[str, str]]:
    words = _split(rest)
    if words and "=" not in words[0]:
        if len(words) > 1:  # the old form, ENV NAME VALUE
            yield words[0], " ".join(words[1:])
        return
    for word in words:
        name, joined, value = word.partition("=")
        if joined:
            yield name, value


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _exec_form(rest: str) -> list[str] | None:
    if not rest.startswith("["):
        return None
    try:
        found = json.loads(rest)
    except (ValueError, RecursionError):
        return None
    return [word for word in found if isinstance(word, str)] if isinstance(found, list) else None


def _words(rest: str) -> tuple[str, ...]:
    """The words of an exec form; any other text is given to a shell."""
    words = _exec_form(rest)
    return (*_SHELL, rest) if words is None else tuple(words)


READER = Reader("Dockerfile", recognises, read, whole=True)

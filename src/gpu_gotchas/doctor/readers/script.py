"""A shell script: what it installs, and the servers that it starts."""

from __future__ import annotations

import re

from gpu_gotchas.doctor.command.prefixes import strip_prefixes
from gpu_gotchas.doctor.command.shell import commands_of_text
from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.installs import read_install
from gpu_gotchas.doctor.packages import add_cuda_runtime
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.hardware.machine import Machine

_FIRST = re.compile(r"\s*#!\s*\S*?(?:/|env (?:-S )?)(?:ba|z|da|k)?sh\b")


def recognises(text: Text) -> bool:
    """Whether it names a shell in its first line."""
    return _FIRST.match(text.text) is not None


def read(text: Text) -> Facts:
    software: dict[str, str | None] = {}
    for command in commands_of_text(text.text):
        change = read_install(strip_prefixes(command)[1])
        software = software if change is None else change.applied(software)
    add_cuda_runtime(software)
    return Facts(Machine(software=software, described=True), commands=(("sh", "-c", text.text),))


READER = Reader("shell script", recognises, read, whole=True)

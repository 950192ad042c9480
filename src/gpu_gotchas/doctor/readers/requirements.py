"""Pins of requirements files, `pip freeze`, `pip list`, `conda list` and `uv pip list`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.packages import software_of_pins
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.hardware.machine import Machine

_PIN = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9._-]*) *(?:\[[^\]]{0,200}\])? *===? *([0-9][^\s;,#\\]*) *(?:[;#\\].*)?"
)
_WHEEL = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9_.]*)-([0-9][^-/\s]*)(?:-[0-9][^-]*)?-[^-/\s]+-[^-/\s]+-[^-/\s]+\.whl"
)
_ROW = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*) {1,}([0-9][0-9A-Za-z.+!_-]*)(?: .*)?")
_ANY = re.compile(
    r"(?:[A-Za-z0-9][A-Za-z0-9._-]*(?: *\[[^\]]*\])? *(?:[<>=!~]=?.*|@ .*|;.*)?"
    r"|-{1,2}[a-z].*|https?://\S+|git\+\S+|\./\S+)"
)
_TABLE = re.compile(r"^(?:Package +Version|# +Name +Version)\b", re.MULTILINE)
_LEAST = 0.8


def recognises(text: Text) -> bool:
    """Whether nearly every line is a requirement, or a table of packages stands in it."""
    if _TABLE.search(text.text):
        return True
    lines = list(_telling(text.text.splitlines()))
    fitting = sum(_ANY.fullmatch(line[:2000]) is not None for line in lines)
    pinned = sum(bool(_PIN.fullmatch(line[:2000]) or _WHEEL.search(line[:2000])) for line in lines)
    return bool(pinned) and fitting >= _LEAST * len(lines)


def read(text: Text) -> Facts:
    """Exact pins alone: a range does not say what is installed."""
    return Facts(Machine(software=software_of_pins(pins(text.text.splitlines())), described=True))


def pins(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Name and version of every line that pins one."""
    table = False
    for raw in lines:
        line = raw.strip()[:2000]
        table = table or _TABLE.match(line) is not None
        match = _PIN.fullmatch(line) or (_ROW.fullmatch(line) if table else None) or _WHEEL.search(line)
        if match:
            yield match[1], match[2].replace("%2B", "+").replace("%2b", "+")


def _telling(lines: Iterable[str]) -> Iterator[str]:
    return (line.strip() for line in lines if line.strip() and not line.strip().startswith(("#", "--hash")))


READER = Reader("requirements or list of packages", recognises, read, whole=True)

"""Pins of requirements files, `pip freeze`, `pip list`, `conda list` and `uv pip list`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.packages import software_of_pins
from gpu_gotchas.doctor.readers.pin import pin_of
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth

_ROW = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*) {1,}([0-9][0-9A-Za-z.+!_-]*)(?: .*)?")
_ANY = re.compile(
    r"(?:[A-Za-z0-9][A-Za-z0-9._-]*(?: *\[[^\]]*\])? *(?:[<>=!~]=?.*|@ .*|;.*)?"
    r"|-{1,2}[a-z].*|https?://\S+|git\+\S+|\./\S+)"
)
_TABLE = re.compile(r"^(?:Package +Version|# +Name +Version)\b", re.MULTILINE)
_INDEX = re.compile(r"^(?:--(?:extra-)?index-url|-i|--find-links|-f)[ =]\S*/cu([0-9]{2,3})/?\s*$")
_LEAST = 0.8


def recognises(text: Text) -> bool:
    """Whether nearly every line is a requirement, or a table of packages stands in it."""
    if _TABLE.search(text.text):
        return True
    lines = list(_telling(text.text.splitlines()))
    fitting = sum(_ANY.fullmatch(line[:2000]) is not None for line in lines)
    pinned = any((pin := pin_of(line)) is not None and pin.version is not None for line in lines)
    return pinned and fitting >= _LEAST * len(lines)


def read(text: Text) -> Facts:
    """Exact pins alone: a range does not say what is installed."""
    lines = text.text.splitlines()
    software = software_of_pins(pins(lines))
    indexes = {match[1] for line in lines if (match := _INDEX.match(line.strip()))}
    if len(indexes) == 1 and {"torch", "vllm", "sglang"} & software.keys():
        (build,) = indexes
        software.setdefault("cuda-runtime", f"{build[:-1]}.{build[-1]}")
    return Facts(Machine(software=software, described=True))


def pins(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Name and version of every line that pins one; no version where a marker leaves open whether it counts.

    What a marker rules out on Linux is left out.
    """
    table = False
    for raw in lines:
        line = raw.strip()[:2000]
        table = table or _TABLE.match(line) is not None
        row = _ROW.fullmatch(line) if table else None
        if row:
            yield row[1], row[2]
            continue
        pin = pin_of(line) if not line.startswith(("#", "-")) else None
        if pin is None or pin.version is None or pin.holds is Truth.NO:
            continue
        yield pin.name, pin.version
        if pin.holds is Truth.UNKNOWN:
            yield pin.name, ""


def _telling(lines: Iterable[str]) -> Iterator[str]:
    return (line.strip() for line in lines if line.strip() and not line.strip().startswith(("#", "--hash")))


READER = Reader("requirements or list of packages", recognises, read, whole=True)

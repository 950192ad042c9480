"""What `python -m sglang.check_env` prints."""

from __future__ import annotations

import re

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.packages import package_name, software_of_pins
from gpu_gotchas.doctor.readers.cards import MAX_CARDS, card_named
from gpu_gotchas.doctor.readers.labels import labelled, unquoted
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.doctor.readers.versions import first_version, short_version, tool_versions
from gpu_gotchas.hardware.machine import Card, Machine
from gpu_gotchas.hardware.targets import nvidia_target_name

_CARDS = re.compile(r"^GPU ([0-9]+(?:,[0-9]+)*): (.+)$")
_CAPABILITY = re.compile(r"^GPU [0-9,]+ Compute Capability: ([0-9]{1,2})\.([0-9])$")
_PACKAGE = re.compile(r"^([A-Za-z][A-Za-z0-9_.-]*): (Module Not Found|[0-9]\S*)$")
_MISSING = "Module Not Found"


def recognises(text: Text) -> bool:
    return "\nsglang: " in text.text.replace("> ", "") and "PyTorch: " in text.text


def read(text: Text) -> Facts:
    """Cards with their capability, toolkit, driver and versions; a package said to be missing is known so."""
    lines = unquoted(text.text)
    said = labelled(lines)
    found = [match.groups() for line in lines for match in [_PACKAGE.match(line)] if match]
    software = software_of_pins((name, version) for name, version in found if version != _MISSING)
    for name, version in found:
        known = package_name(name)
        if version == _MISSING and known is not None:
            software.setdefault(known, None)
    told = {
        "torch": first_version(said.get("pytorch")),
        "python": first_version(said.get("python")),
        "nvidia-driver": first_version(said.get("cuda driver version")),
        "rocm": short_version(said.get("rocm driver version")),
    }
    software.update({name: version for name, version in told.items() if version is not None})
    software.update(tool_versions(said.get("nvcc")))
    return Facts(Machine(cards=_cards(lines), software=software, described=True))


def _cards(lines: list[str]) -> tuple[Card, ...] | None:
    groups: list[tuple[int, str]] = []
    capabilities: list[str | None] = []
    for line in lines:
        capability = _CAPABILITY.match(line)
        match = _CARDS.match(line)
        if capability and groups:
            capabilities[-1] = nvidia_target_name((int(capability[1]), int(capability[2])))
        elif match and not capability:
            groups.append((min(match[1].count(",") + 1, MAX_CARDS), match[2]))
            capabilities.append(None)
    cards: list[Card] = []
    for (count, name), target in zip(groups, capabilities, strict=True):
        made = card_named(name, target=target)
        cards += [made] * count if made is not None else []
    return tuple(cards[:MAX_CARDS]) or None


READER = Reader("output of sglang.check_env", recognises, read, whole=False)

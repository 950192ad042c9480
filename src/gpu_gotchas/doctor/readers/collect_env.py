"""What `python collect_env.py` of vLLM and `python -m torch.utils.collect_env` print."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.packages import software_of_pins
from gpu_gotchas.doctor.readers.cards import MAX_CARDS, card_named
from gpu_gotchas.doctor.readers.labels import labelled, told, unquoted
from gpu_gotchas.doctor.readers.platform_words import platform_of
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.doctor.readers.versions import first_version, short_version, tool_versions
from gpu_gotchas.hardware.machine import Card, Machine

_MARKS = ("PyTorch version", "GPU models and configuration", "Versions of relevant libraries", "vLLM Version")
_PIP = re.compile(r"^\[(?:pip[0-9.]*|uv)\] ([A-Za-z0-9._-]+)==(\S+)")
_CONDA = re.compile(r"^\[conda\] ([A-Za-z0-9._-]+) +([0-9]\S*)")
_ONBOARD = re.compile(r"^\s*\* (Intel\(R\) .*\S)\s*$")
_GPU = re.compile(r"^\s*GPU ([0-9]{1,4}): (.+?)(?: \(UUID: .*)?$")
_MIG = re.compile(r"^\s+MIG [0-9]+g\.[0-9]+gb")
_VARIABLE = re.compile(r"^([A-Z][A-Z0-9_]{1,79})=(.*)$")
_TOPOLOGY = re.compile(r"^GPU([0-9]{1,4})\s")
# vLLM prints the variables that it knows itself, and those with these beginnings.
_SEEN = ("VLLM_", "NCCL", "PYTORCH", "CUDA", "TORCH")


def recognises(text: Text) -> bool:
    return sum(mark in text.text for mark in _MARKS) >= 2


def read(text: Text) -> Facts:
    """Cards, platform, versions and, from vLLM since 0.6.3, variables."""
    lines = unquoted(text.text)
    said = labelled(lines)
    cards, counted = _cards(lines, said)
    variables = _variables(lines)
    return Facts(
        machine=Machine(
            cards=cards,
            count_known=counted,
            software=_software(lines, said),
            platform=platform_of(said.get("os"), said.get("python platform")),
            described=True,
        ),
        environment=variables or {},
        seen=_SEEN if variables is not None else (),
    )


def _software(lines: Iterable[str], said: Mapping[str, str]) -> dict[str, str | None]:
    pins = [match.groups() for line in lines for match in (_PIP.match(line), _CONDA.match(line)) if match]
    found = software_of_pins((name, version) for name, version in pins)
    told_ = {
        "torch": first_version(told(said.get("pytorch version"))),
        "vllm": first_version(told(said.get("vllm version"))),
        "python": first_version(told(said.get("python version"))),
        "nvidia-driver": first_version(told(said.get("nvidia driver version"))),
        "cuda-runtime": first_version(told(said.get("cuda used to build pytorch"))),
        "rocm": short_version(told(said.get("rocm version")))
        or short_version(told(said.get("rocm used to build pytorch"))),
    }
    found.update({name: version for name, version in told_.items() if version is not None})
    found.update(tool_versions(told(said.get("cuda runtime version"))))
    return found


def _cards(lines: Sequence[str], said: Mapping[str, str]) -> tuple[tuple[Card, ...] | None, bool]:
    """The cards, and whether that is all of them: of AMD's, torch names the first alone."""
    cards: dict[int, Card] = {}
    latest = -1
    for line in lines:
        line = line.partition(":")[2].strip() if line.startswith("GPU models and conf") else line
        match = _GPU.match(line)
        if match and len(cards) < MAX_CARDS and "Compute Capability" not in line:
            made = card_named(match[2])
            if made is not None and int(match[1]) not in cards:
                latest = int(match[1])
                cards[latest] = made
        elif _MIG.match(line) and latest in cards:
            one = cards[latest]
            cards[latest] = Card(one.name, one.target, one.gpu, one.memory, one.vendor, True)
    onboard = [match[1] for match in map(_ONBOARD.match, lines) if match]
    cards = cards or {
        number: made for number, name in enumerate(onboard[:MAX_CARDS]) if (made := card_named(name))
    }
    if cards:
        return tuple(cards.values()), True
    name = told(said.get("gpu models and configuration"))
    made = card_named(name) if name and not name.startswith("GPU ") else None
    if made is None:
        return None, True
    rows = {int(match[1]) for line in lines for match in [_TOPOLOGY.match(line)] if match}
    count = max(rows) + 1 if rows and max(rows) < MAX_CARDS else 0
    return (made,) * max(1, count), count > 0


def _variables(lines: Iterable[str]) -> dict[str, str] | None:
    """The variables below their heading, None where there is no such part."""
    found: dict[str, str] | None = None
    for line in lines:
        if line.strip() == "Environment Variables":
            found = {}
        match = _VARIABLE.match(line.strip()) if found is not None else None
        if found is not None and match and len(found) < 1000:
            found[match[1]] = match[2][:2000]
    if found is None and any("LD_LIBRARY_PATH=" in line for line in lines):
        pairs = (_VARIABLE.match(line.strip()) for line in lines)
        return {pair[1]: pair[2][:2000] for pair in pairs if pair}
    return found


READER = Reader("output of collect_env", recognises, read, whole=False)

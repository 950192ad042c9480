"""conda's environment.yml: its exact pins, those of pip among them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.packages import software_of_pins
from gpu_gotchas.doctor.readers.loose_yaml import documents
from gpu_gotchas.doctor.readers.pin import pin_of
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.doctor.readers.requirements import pins
from gpu_gotchas.hardware.machine import Machine

_DEPENDENCIES = re.compile(r"^dependencies:\s*(?:#.*)?$", re.MULTILINE)
_ENTRY = re.compile(r"^\s*- ?(?:pip:|[\w:.-]+ *=)", re.MULTILINE)
# conda's names for packages that are called otherwise elsewhere.
_NAMES = {
    "pytorch": "torch",
    "pytorch-gpu": "torch",
    "cudatoolkit": "cuda-runtime",
    "cuda-cudart": "cuda-runtime",
}


def recognises(text: Text) -> bool:
    return _DEPENDENCIES.search(text.text) is not None and _ENTRY.search(text.text) is not None


def read(text: Text) -> Facts:
    """Raises ValueError for text that is no YAML."""
    found: list[tuple[str, str]] = []
    for document in documents(text.text):
        if isinstance(document, dict) and isinstance(document.get("dependencies"), list):
            found += _pins(document["dependencies"])
    return Facts(Machine(software=software_of_pins(found), described=True))


def _pins(entries: list[Any]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get("pip"), list):
            yield from pins(line for line in entry["pip"] if isinstance(line, str))
        elif isinstance(entry, str) and (pin := pin_of(entry, conda=True)) and pin.version:
            yield _NAMES.get(pin.name.lower(), pin.name), pin.version


READER = Reader("conda environment", recognises, read, whole=True)

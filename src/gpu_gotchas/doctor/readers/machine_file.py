"""Our own description of a machine, as schema/machine.schema.json has it."""

from __future__ import annotations

import re

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.hardware.description import read_machine

_TOP = re.compile(r"^[\"']?([A-Za-z_]+)[\"']?\s*:", re.MULTILINE)
_JSON = re.compile(r"^\s*\{\s*\"(?:cards|software|platform|settings|p2p)\"\s*:")
_KEYS = ("cards", "software", "platform", "settings", "p2p")


def recognises(text: Text) -> bool:
    """Whether one of its keys begins a line, and not many other words do."""
    if _JSON.match(text.text):
        return True
    names = _TOP.findall(text.text[:65536])
    return bool(names) and any(name in _KEYS for name in names) and len(names) <= 2 * len(_KEYS)


def read(text: Text) -> Facts:
    """Raises DocumentError (a ValueError) naming file, line and what would be right."""
    return Facts(read_machine(text.path))


READER = Reader("description of a machine", recognises, read, whole=True)

"""What `nvidia-smi -q` prints: a tree of labels, one for each card."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.readers.cards import MAX_CARDS, card_named
from gpu_gotchas.doctor.readers.labels import unquoted
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.doctor.readers.versions import first_version
from gpu_gotchas.doctor.sizes import read_size
from gpu_gotchas.hardware.machine import Card, Machine

_MARK = "NVSMI LOG"
_CARD = re.compile(r"^GPU [0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9]")
_LABEL = re.compile(r"^( *)(\S[^:]*?) *: (.*)$")
_ATTACHED = re.compile(r"^Attached GPUs *: ([0-9]{1,4})", re.MULTILINE)
_DRIVER = re.compile(r"^Driver Version *: (\S+)", re.MULTILINE)


def recognises(text: Text) -> bool:
    return _MARK in text.text and "Product Name" in text.text


def read(text: Text) -> Facts:
    """Cards with their memory and MIG mode, and the driver. All of them are there unless the text was cut."""
    lines = unquoted(text.text)
    whole = "\n".join(lines)
    cards = tuple(list(_cards(lines))[:MAX_CARDS])
    attached, driver = _ATTACHED.search(whole), _DRIVER.search(whole)
    version = first_version(driver[1]) if driver else None
    return Facts(
        Machine(
            cards=cards or None,
            count_known=attached is not None and int(attached[1]) == len(cards),
            software={"nvidia-driver": version} if version else {},
            described=True,
        )
    )


def _cards(lines: list[str]) -> Iterator[Card]:
    """Each card's first product name, the total below `FB Memory Usage`, and the mode below `MIG Mode`."""
    begins = [number for number, line in enumerate(lines) if _CARD.match(line)]
    for first, last in zip(begins, [*begins[1:], len(lines)], strict=True):
        section, said = "", dict[str, str]()
        for line in lines[first + 1 : last]:
            match = _LABEL.match(line)
            if match is None:
                section = line.strip()
                continue
            name = match[2] if len(match[1]) <= 4 else f"{section}/{match[2]}"
            said.setdefault(name, match[3].strip())
        mode = {"Enabled": True, "Disabled": False}.get(said.get("MIG Mode/Current", ""))
        memory = read_size(said.get("FB Memory Usage/Total", "").replace(" ", ""))
        made = card_named(said.get("Product Name", ""), memory, mode)
        if made is not None:
            yield made


READER = Reader("output of nvidia-smi -q", recognises, read, whole=False)

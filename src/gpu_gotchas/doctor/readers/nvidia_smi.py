"""What `nvidia-smi`, `nvidia-smi -L` and `nvidia-smi --query-gpu=… --format=csv` print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.readers.cards import MAX_CARDS, card_named
from gpu_gotchas.doctor.readers.labels import unquoted
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.doctor.readers.versions import first_version
from gpu_gotchas.doctor.sizes import read_size
from gpu_gotchas.hardware.catalogue import gpus
from gpu_gotchas.hardware.gpus import plain_name, sizes_as_sold
from gpu_gotchas.hardware.machine import Card, Machine

_HEAD = re.compile(r"NVIDIA-SMI +[0-9.]+.*?(?:Driver|KMD) Version: +([0-9.]+)")
_ROW = re.compile(r"^\| {0,4}([0-9]{1,4}) {1,4}(\S.*?) {2,}(?:On|Off|N/A) *\|")
_SIZE = re.compile(r"/ *([0-9]+MiB) *\|")
_MIG = re.compile(r"\| +(Enabled\*?|Disabled\*?) *\|$")
_LISTED = re.compile(r"^GPU ([0-9]{1,4}): (.+?) \(UUID: ")
_CSV_HEAD = re.compile(r"^(?:index, )?name, .*(?:memory\.total|driver_version)", re.MULTILINE)


def recognises(text: Text) -> bool:
    found = text.text
    return bool(_HEAD.search(found) or _CSV_HEAD.search(found)) or any(
        map(_LISTED.match, unquoted(found[:65536]))
    )


def read(text: Text) -> Facts:
    """Cards with their memory, MIG mode and the driver."""
    lines = unquoted(text.text)
    head = _HEAD.search(text.text)
    driver = head[1] if head else None
    if _CSV_HEAD.search(text.text):
        cards, driver = _from_csv(lines, driver)
    elif head:
        cards = list(_from_table(lines))
    else:
        matches = [match for match in map(_LISTED.match, lines) if match]
        cards = [made for match in matches if (made := card_named(match[2]))]
    if not cards and "No devices were found" not in text.text:
        found: tuple[Card, ...] | None = None
    else:
        found = tuple(cards[:MAX_CARDS])
    software = {"nvidia-driver": driver} if driver else {}
    return Facts(Machine(cards=found, software=software, described=True))


def _from_table(lines: Sequence[str]) -> Iterator[Card]:
    """A card has a row with its name, one with its memory, and from 450 on one with its MIG mode."""
    for number, line in enumerate(lines):
        match = _ROW.match(line)
        if match is None or not any(
            "MiB" in other or "N/A" in other for other in lines[number + 1 : number + 2]
        ):
            continue
        below = lines[number + 1 : number + 3]
        size = next((found[1] for found in map(_SIZE.search, below) if found), None)
        mode = _MIG.search(below[1]) if len(below) > 1 else None
        memory = read_size(size) if size else None
        made = card_named(_whole(match[2], memory), memory, mode[1].startswith("Enabled") if mode else None)
        if made is not None:
            yield made


def _whole(name: str, memory: int | None) -> str:
    """The name that the table cut off with dots, where the catalogue has one that begins so and fits."""
    if not name.endswith("..."):
        return name
    begin = plain_name(name[:-3])
    known = {
        gpu.name
        for gpu in gpus()
        for one in gpu.names
        if plain_name(one).startswith(begin)
        and (memory is None or not gpu.memory or any(size in sizes_as_sold(memory) for size in gpu.memory))
    }
    return known.pop() if len(known) == 1 else name


def _from_csv(lines: Sequence[str], driver: str | None) -> tuple[list[Card], str | None]:
    head = next(number for number, line in enumerate(lines) if _CSV_HEAD.match(line))
    keys = [key.strip().partition(" ")[0] for key in lines[head].split(",")]
    cards: list[Card] = []
    for line in lines[head + 1 :]:
        values = dict(zip(keys, (value.strip() for value in line.split(",")), strict=False))
        if len(values) < len(keys):
            break
        size = values.get("memory.total", "")
        capability = values.get("compute_cap", "")
        target = f"sm_{capability.replace('.', '')}" if re.fullmatch(r"[0-9]+\.[0-9]", capability) else None
        mode = {"Enabled": True, "Disabled": False}.get(values.get("mig.mode.current", ""))
        made = card_named(
            values.get("name", ""), read_size(size if "B" in size else size + "MiB"), mode, target
        )
        driver = first_version(values.get("driver_version")) or driver
        if made is not None and len(cards) < MAX_CARDS:
            cards.append(made)
    return cards, driver


READER = Reader("output of nvidia-smi", recognises, read, whole=False)

"""A machine that somebody describes in a file or names on a command line, instead of the one we run on.

```yaml
cards:                       # leave out when nothing is known, [] when there are none
  - {gpu: nvidia-rtx-a5000, count: 2}
  - {target: sm_120, name: NVIDIA GeForce RTX 5090, memory: 32}      # GiB
software: {vllm: "0.20.0", triton: null}                             # null: known not to be there
platform: {linux: true, container: false}
settings: {kv_cache_dtype: fp8}
p2p: false
```
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os.path import commonprefix
from pathlib import Path

from gpu_gotchas.hardware.catalogue import (
    UnknownName,
    find_gpu,
    find_target,
    gpu_by_driver_name,
    gpus_called,
    other_named,
    target_by_driver_name,
)
from gpu_gotchas.hardware.documents import Item, read_document
from gpu_gotchas.hardware.fields import Fields, shown
from gpu_gotchas.hardware.gpus import GIB, Gpu
from gpu_gotchas.hardware.machine import Card, Machine
from gpu_gotchas.hardware.platforms import PLATFORMS
from gpu_gotchas.hardware.targets import Target
from gpu_gotchas.hardware.versions import canonical

MAX_CARDS = 1024
MIN_GIB, MAX_GIB = 0.5, 65536

_KEYS = ("cards", "software", "platform", "settings", "p2p")
_CARD_KEYS = ("gpu", "target", "name", "memory", "count")
_PACKAGE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_VERSION = re.compile(r"[0-9A-Za-z.+!_-]{1,64}")
_SETTING = re.compile(r"[a-z][a-z0-9_]*")


def read_machine(path: Path) -> Machine:
    """The machine described in a YAML or JSON file; see schema/machine.schema.json.

    Raises DocumentError with every problem, naming file, line and what would be right.
    """
    fields = Fields(path)
    machine = _machine(fields, read_document(path))
    fields.raise_if_any()
    return machine


def described_machine(name: str) -> Machine:
    """A machine with one card of which only this is known: whatever `find_target` understands.

    A name that several models have, such as `H100`, is a card with what they share: name, target, memory.
    Raises UnknownName with a suggestion.
    """
    other = other_named(name)
    if other is not None:
        card = Card(other.name, None, other.id, vendor=other.vendor)
    else:
        target, called = find_target(name), gpus_called(name)
        card = _card_of(called[0], None) if len(called) == 1 else _shared(called, target)
    return Machine(cards=(card,), described=True)


def _machine(fields: Fields, item: Item) -> Machine:
    parts = fields.mapping(item, "a machine", _KEYS)
    platform = fields.mapping(parts["platform"], "platform", PLATFORMS) if "platform" in parts else {}
    return Machine(
        cards=_cards(fields, parts["cards"]) if "cards" in parts else None,
        software=_software(fields, parts["software"]) if "software" in parts else {},
        platform={key: fields.truth(value, key) for key, value in platform.items()},
        settings=_settings(fields, parts["settings"]) if "settings" in parts else {},
        p2p=fields.truth(parts["p2p"], "p2p") if "p2p" in parts else None,
        described=True,
    )


def _cards(fields: Fields, item: Item) -> tuple[Card, ...]:
    entries = fields.entries(item, "cards", MAX_CARDS)
    return tuple(card for entry in entries for card in _card(fields, entry))


def _card(fields: Fields, item: Item) -> list[Card]:
    before = fields.count
    parts = fields.mapping(item, "a card", _CARD_KEYS)
    named = {key: fields.text(parts[key], key) for key in ("gpu", "target", "name") if key in parts}
    memory = fields.number(parts["memory"], "memory (GiB)", MIN_GIB, MAX_GIB) if "memory" in parts else None
    count = fields.whole(parts["count"], "count", 1, MAX_CARDS) if "count" in parts else 1
    if isinstance(item.value, Mapping) and not named:
        fields.problem(item, "a card wants 'gpu' (an id of the catalogue), 'target' or 'name'")
    if "gpu" in named and len(named) > 1:
        fields.problem(item, "'gpu' says target and name: leave them out, or leave out 'gpu'")
    if fields.count > before:
        return []
    try:
        return [_described(named, None if memory is None else round(memory * GIB))] * count
    except UnknownName as error:
        fields.problem(parts["gpu" if "gpu" in named else "target"], str(error))
        return []


def _described(named: Mapping[str, str], memory: int | None) -> Card:
    if "gpu" in named:
        return _card_of(find_gpu(named["gpu"]), memory)
    name = named.get("name", "")
    target = find_target(named["target"]) if "target" in named else target_by_driver_name(name)
    gpu = gpu_by_driver_name(name, memory)
    id = gpu.id if gpu is not None and gpu.target == target else None
    other = other_named(name) if target is None else None
    if other is not None:
        return Card(name, None, other.id, memory, other.vendor)
    vendor = target.vendor if target else None
    return Card(name or named["target"], target, id, memory, vendor)


def _card_of(gpu: Gpu, memory: int | None) -> Card:
    """memory: bytes; follows from the model where it comes with one size only."""
    if memory is None and len(gpu.memory) == 1:
        memory = gpu.memory[0] * GIB
    return Card(gpu.name, gpu.target, gpu.id, memory, gpu.vendor)


def _shared(called: Sequence[Gpu], target: Target) -> Card:
    """What models have in common, a target's alone where there is none."""
    name = commonprefix([gpu.name for gpu in called]).strip(" -")  # noqa: RUF071
    name = name if any(map(str.isdigit, name)) else target.name
    memory = {size for gpu in called for size in gpu.memory or (0,)}
    only = memory.pop() * GIB if len(memory) == 1 else 0
    return Card(name, target, None, only or None, target.vendor)


def _software(fields: Fields, item: Item) -> dict[str, str | None]:
    software: dict[str, str | None] = {}
    for name, version in fields.mapping(item, "software").items():
        if not _PACKAGE.fullmatch(name):
            fields.problem(version, f"{name!r} is no package: write {canonical(name)!r}")
        if version.value is not None and not (
            isinstance(version.value, str) and _VERSION.fullmatch(version.value)
        ):
            fields.problem(
                version, f"{name} wants a version in quotes, or null if not there, not {shown(version)}"
            )
            continue
        software[name] = version.value
    return software


def _settings(fields: Fields, item: Item) -> dict[str, str]:
    settings = fields.mapping(item, "settings")
    for name, value in settings.items():
        if not _SETTING.fullmatch(name):
            right = name.lower().strip("-").replace("-", "_")
            fields.problem(value, f"{name!r} is no setting: small letters, digits and _, such as {right!r}")
    return {name: fields.text(value, name) for name, value in settings.items()}

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

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from gpu_gotchas.hardware.catalogue import (
    UnknownName,
    find_gpu,
    find_target,
    gpu_by_driver_name,
    gpus_by_driver_name,
    target_by_driver_name,
)
from gpu_gotchas.hardware.detect.platform_facts import NAMES
from gpu_gotchas.hardware.documents import DocumentError, Item, read_document
from gpu_gotchas.hardware.gpus import GIB, Gpu
from gpu_gotchas.hardware.machine import Card, Machine
from gpu_gotchas.hardware.versions import canonical

MAX_CARDS = 1024
MAX_GIB = 65536

_KEYS = ("cards", "software", "platform", "settings", "p2p")
_CARD_KEYS = ("gpu", "target", "name", "memory", "count")
_TEXT = re.compile(r"[^\x00-\x1f\x7f-\x9f]{1,200}")
_PACKAGE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_VERSION = re.compile(r"[0-9A-Za-z.+!_-]{1,64}")
_SETTING = re.compile(r"[a-z][a-z0-9_]*")


def read_machine(path: Path) -> Machine:
    """The machine described in a YAML or JSON file; see schema/machine.schema.json.

    Raises DocumentError with every problem, naming file, line and what would be right.
    """
    return _Reader(path).machine(read_document(path))


def described_machine(name: str) -> Machine:
    """A machine with one card of which only this is known: a target, a GPU's id, or a driver's name for it.

    Raises UnknownName with a suggestion.
    """
    return Machine(cards=(_named_card(name),), described=True)


def _named_card(name: str) -> Card:
    if name.casefold().startswith(("sm_", "gfx")):
        target = find_target(name)
        return Card(target.name, target, vendor=target.vendor)
    known = gpus_by_driver_name(name)
    if len(known) != 1:
        return _card_of(find_gpu(name))
    return _card_of(known[0])


def _card_of(gpu: Gpu, memory: int | None = None) -> Card:
    """memory: bytes; follows from the model where it comes with one size only."""
    if memory is None and len(gpu.memory) == 1:
        memory = gpu.memory[0] * GIB
    return Card(gpu.name, gpu.target, gpu.id, memory, gpu.vendor)


class _Reader:
    """Reads one document, and collects what is wrong with it instead of stopping at the first problem."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._problems: list[str] = []

    def machine(self, item: Item) -> Machine:
        parts = self._mapping(item, "a machine", _KEYS)
        machine = Machine(
            cards=self._cards(parts["cards"]) if "cards" in parts else None,
            software=self._texts(parts.get("software"), "software", _PACKAGE, self._version),
            platform=self._platform(parts.get("platform")),
            settings=self._texts(parts.get("settings"), "settings", _SETTING, self._setting),
            p2p=self._truth(parts["p2p"], "p2p") if "p2p" in parts else None,
            described=True,
        )
        if self._problems:
            raise DocumentError(self._problems)
        return machine

    def _problem(self, item: Item, message: str) -> None:
        self._problems.append(f"{self._path}:{item.line}: {message}")

    def _mapping(self, item: Item, what: str, keys: Iterable[str] | None = None) -> Mapping[str, Item]:
        if not isinstance(item.value, Mapping):
            self._problem(item, f"{what} is a mapping of keys to values, not {_shown(item)}")
            return {}
        for key, value in item.value.items():
            if keys is not None and key not in keys:
                self._problem(value, f"unknown key {key!r} in {what}{_hint(key, keys)}")
        return item.value

    def _cards(self, item: Item) -> tuple[Card, ...] | None:
        if not isinstance(item.value, tuple):
            self._problem(item, f"cards is a list, [] for none, not {_shown(item)}")
            return None
        cards = [card for entry in item.value for card in self._card(entry)]
        if len(item.value) > MAX_CARDS:
            self._problem(item, f"cards has more than {MAX_CARDS} entries")
        return tuple(cards)

    def _card(self, item: Item) -> list[Card]:
        before = len(self._problems)
        parts = self._mapping(item, "a card", _CARD_KEYS)
        values = {key: self._text(parts[key], key) for key in ("gpu", "target", "name") if key in parts}
        memory = self._memory(parts["memory"]) if "memory" in parts else None
        count = self._count(parts["count"]) if "count" in parts else 1
        if isinstance(item.value, Mapping) and not values:
            self._problem(item, "a card wants 'gpu' (an id of the catalogue), 'target' or 'name'")
        if "gpu" in values and len(values) > 1:
            self._problem(item, "'gpu' says target and name: leave them out, or leave out 'gpu'")
        if len(self._problems) > before:
            return []
        try:
            return [_described(values, memory)] * count
        except UnknownName as error:
            self._problem(parts["gpu" if "gpu" in values else "target"], str(error))
            return []

    def _memory(self, item: Item) -> int:
        value = item.value
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= MAX_GIB:
            self._problem(item, f"memory is a number of GiB up to {MAX_GIB}, not {_shown(item)}")
            return 0
        return round(value * GIB)

    def _count(self, item: Item) -> int:
        value = item.value
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or value not in range(1, MAX_CARDS + 1)
        ):
            self._problem(item, f"count is a whole number from 1 to {MAX_CARDS}, not {_shown(item)}")
            return 0
        return int(value)

    def _platform(self, item: Item | None) -> dict[str, bool]:
        if item is None:
            return {}
        parts = self._mapping(item, "platform", NAMES)
        return {key: self._truth(value, key) for key, value in parts.items()}

    def _texts[T](
        self, item: Item | None, what: str, key_like: re.Pattern[str], read: Callable[[Item, str], T]
    ) -> dict[str, T]:
        if item is None:
            return {}
        parts = self._mapping(item, what)
        for key, value in parts.items():
            if not key_like.fullmatch(key):
                right = canonical(key) if what == "software" else key.lower().replace("-", "_")
                hint = f": write {right}" if key_like.fullmatch(right) else ""
                self._problem(value, f"{key!r} is no name in {what}{hint}")
        return {key: read(value, key) for key, value in parts.items()}

    def _version(self, item: Item, key: str) -> str | None:
        if item.value is None:
            return None
        if not isinstance(item.value, str) or not _VERSION.fullmatch(item.value):
            self._problem(
                item, f"{key} wants a version in quotes, or null where it is not there: {_shown(item)}"
            )
            return None
        return item.value

    def _setting(self, item: Item, key: str) -> str:
        return self._text(item, key)

    def _text(self, item: Item, what: str) -> str:
        if not isinstance(item.value, str) or not _TEXT.fullmatch(item.value):
            self._problem(item, f"{what} is text of 1 to 200 characters, in quotes, not {_shown(item)}")
            return ""
        return item.value

    def _truth(self, item: Item, what: str) -> bool:
        if not isinstance(item.value, bool):
            self._problem(item, f"{what} is true or false; leave it out when unknown: {_shown(item)}")
            return False
        return item.value


def _described(values: Mapping[str, str], memory: int | None) -> Card:
    if "gpu" in values:
        return _card_of(find_gpu(values["gpu"]), memory)
    name = values.get("name")
    gpu = gpu_by_driver_name(name, memory) if name else None
    if "target" not in values:
        if gpu is not None:
            return Card(str(name), gpu.target, gpu.id, memory, gpu.vendor)
        target = target_by_driver_name(str(name))
        return Card(str(name), target, None, memory, target.vendor if target else None)
    target = find_target(values["target"])
    id = gpu.id if gpu is not None and gpu.target == target else None
    return Card(name or target.name, target, id, memory, target.vendor)


def _hint(key: str, keys: Iterable[str]) -> str:
    near = difflib.get_close_matches(key, list(keys), n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; it may hold {', '.join(keys)}"


def _shown(item: Item) -> str:
    if isinstance(item.value, Mapping):
        return "a mapping"
    if isinstance(item.value, tuple):
        return "a list"
    return repr(item.value)[:80]

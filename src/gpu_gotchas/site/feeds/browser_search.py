"""search.json: the index, and the engine's own constants and patterns, for search in the browser.

Both implementations read the same words, patterns and weights; what JavaScript has of its own is only how
they are used (docs/javascripts/search/). What a record claims of hardware is decided here for every target,
so that the browser needs no catalogue.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from gpu_gotchas.hardware.catalogue import targets
from gpu_gotchas.hardware.machine import Card, Machine
from gpu_gotchas.hardware.targets import Target, Vendor
from gpu_gotchas.records.raw_hardware import hardware_condition
from gpu_gotchas.search import card_names
from gpu_gotchas.search.conditions import describe_hardware
from gpu_gotchas.site.feeds import packed
from gpu_gotchas.site.feeds.js_patterns import js_pattern

SEARCH_PATH = "search.json"
FORMAT = 1
_MODULES = (
    "advice", "beside", "boilerplate", "card_names", "certain", "common_words", "course", "decide",
    "engine", "evidence", "few", "gist", "in_force", "joining", "likeness", "lines", "match", "normalise",
    "packages", "prefixes", "questions", "rank", "ranked", "singular", "strength", "trouble", "words",
)  # fmt: skip
# Constants that are patterns and are compiled where they are used.
_PATTERNS = {
    "boilerplate": ("_SENTENCES",),
    "beside": ("_GONE", "_HEADING", "_FENCE"),
    "certain": ("_PASSED", "_MARKED", "_SOURCE", "_SPEAKER", "_LISTED", "_RAISED", "_NAMED"),
    "course": ("_FAILS_FIRST", "_EXCEPTION", "_CODE"),
    "card_names": ("_NEEDED",),
    "evidence": (
        *("_TARGET", "_SM", "_ARCH", "_CAPABILITY", "_PARTS", "_OWN", "_NEED", "_HERE", "_CARD"),
        *("_VERSION", "_ROW", "_ENGINE", "_NAMED", "_ITS_VERSION", "_DEVICE_NAME", "_VENDOR_SIGNS"),
    ),
    "few": ("_CARD",),
    "in_force": ("_ADVICE",),
    "normalise": ("_ANSI", "_CONTROL", "_ENTITY"),
    "packages": ("_HOME", "_INSTALLED", "_SOURCE", "_CLASS", "_TAG"),
    "prefixes": ("_NCCL", "_LATER"),
    "trouble": ("_HARMLESS",),
    "words": ("_PACKAGE",),
}
_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")


def search_json(index: bytes) -> str:
    """index: the document that `search.build` makes."""
    whole = json.loads(index)
    head = whole["head"]
    conditions: dict[str, int] = {}

    def position(raw: Mapping[str, Any]) -> int:
        return conditions.setdefault(json.dumps(raw), len(conditions))

    records = {
        name: packed.record(_entry(entry, position)) for name, entry in whole["records"].items() if name
    }
    document = {
        "version": FORMAT,
        "date": head["date"],
        "rules": {name: _constants(name) for name in _MODULES},
        "cards": {name: [driver, target.name] for name, (driver, target) in card_names.card_names().items()},
        "card_pattern": js_pattern(card_names.card_pattern()),
        "targets": [target.name for target in targets()],
        **{key: head[key] for key in ("ids", "aliases", "literals", "reports", "settings")},
        "hardware": [_hardware(json.loads(raw)) for raw in conditions],
        "records": records,
        "words": {word: packed.pairs(held) for word, held in whole["words"].items() if word},
        "heard": {term: packed.pairs(held) for term, held in whole["heard"].items() if term},
        "absent": packed.ABSENT,
    }
    return json.dumps(document, separators=(",", ":"))


def _constants(name: str) -> dict[str, Any]:
    module = importlib.import_module(f"gpu_gotchas.search.{name}")
    patterns = _PATTERNS.get(name, ())
    return {
        key: _translated(value) if key in patterns else _plain(value)
        for key, value in vars(module).items()
        if _CONSTANT.fullmatch(key) and _is_plain(value)
    }


def _translated(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: js_pattern(one) for name, one in value.items()}
    return js_pattern(value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple | frozenset | list):
        return all(map(_is_plain, value))
    if isinstance(value, Mapping):
        return all(map(_is_plain, value.values()))
    return isinstance(value, int | float | str | re.Pattern)


def _plain(value: Any) -> Any:
    if isinstance(value, re.Pattern):
        return js_pattern(value)
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    return value


def _entry(entry: Mapping[str, Any], position: Callable[[Mapping[str, Any]], int]) -> dict[str, Any]:
    """position: of a condition on hardware among all, since many records share one."""
    return {
        **entry,
        "affects": [{**case, "hardware": position(case["hardware"])} for case in entry["affects"]],
    }


def _hardware(raw: Mapping[str, Any]) -> dict[str, Any]:
    """claimed: the condition in words. without: its truth where no card is known.

    by_target: the truth for each, by its first letter. vendors: where no more than the vendor is known.
    """
    condition = hardware_condition(raw)
    by_target = {one.name: condition.on_machine(_with(one)).value for one in targets()}
    return {
        "claimed": describe_hardware(raw),
        "without": condition.on_machine(Machine(described=True, count_known=False)).value,
        "by_target": "".join(truth[0] for truth in by_target.values()),
        "vendors": {one.value: condition.on_machine(_of_vendor(one)).value for one in Vendor},
    }


def _with(target: Target) -> Machine:
    return Machine(cards=(Card(target.name, target),), described=True, count_known=False)


def _of_vendor(vendor: Vendor) -> Machine:
    return Machine(cards=(Card(vendor.value, None, vendor=vendor),), described=True, count_known=False)

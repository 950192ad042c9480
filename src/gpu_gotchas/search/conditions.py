"""A record's claim about hardware, versions and settings, held against what is known of a machine.

Entries of the index keep conditions as the record's own words. They are parsed here, and only for records
that a search has come down to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gpu_gotchas.hardware.conditions import VersionRange
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth, every, some
from gpu_gotchas.records.raw_hardware import hardware_condition
from gpu_gotchas.search.assessment import NOTHING_KNOWN, Assessment
from gpu_gotchas.search.told import Told


def assess(affects: Sequence[Mapping[str, Any]], machine: Machine) -> Assessment:
    """affects: the cases of an index entry. Without a case nothing is claimed and nothing can disagree.

    Where several values were told for one thing, it is answered only when it comes out alike for all of them.
    """
    if not affects:
        return NOTHING_KNOWN
    cases = [_parts(case, machine) for case in affects]
    truths = [every(truth for truth, _ in parts) for parts in cases]
    truth = some(truths)
    shown = [parts for parts, held in zip(cases, truths, strict=True) if held is not Truth.NO] or cases
    agreed = dict.fromkeys(text for parts in shown for held, text in parts if held is Truth.YES and text)
    disagreed = dict.fromkeys(text for parts in cases for held, text in parts if held is Truth.NO)
    return Assessment(truth, tuple(agreed), tuple(disagreed) if truth is Truth.NO else ())


def _parts(case: Mapping[str, Any], machine: Machine) -> list[tuple[Truth, str]]:
    """Each part of a case with its truth and, where there is something to say, the words for it."""
    return [
        _hardware(case["hardware"], machine),
        *(_software(package, ranges, machine) for package, ranges in case["software"].items()),
        *(_platform(name, machine) for name in case["platform"]),
        *(_setting(name, values, machine) for name, values in case["when"].items()),
    ]


def _alike(truths: Iterable[Truth]) -> Truth:
    """The one answer to a question, UNKNOWN where there are two."""
    found = set(truths)
    return found.pop() if len(found) == 1 else Truth.UNKNOWN


def _hardware(raw: Mapping[str, Any], machine: Machine) -> tuple[Truth, str]:
    condition = hardware_condition(raw)
    cards, truth = machine.cards or (), condition.on_machine(machine)
    if machine.cards is None and isinstance(machine, Told) and machine.either_cards:
        cards = machine.either_cards
        truth = _alike(condition.on_machine(replace(machine, cards=(card,))) for card in cards)
    names = ", ".join(_card_words(card.name, card.target.name if card.target else None) for card in cards)
    claimed = describe_hardware(raw)
    if not names or claimed == "any hardware":
        return truth, ""
    return truth, f"{names}: the record is about {claimed}"


def _card_words(name: str, target: str | None) -> str:
    return name if target is None or target == name else f"{name} ({target})"


def describe_hardware(raw: Mapping[str, Any]) -> str:
    """The condition in words, such as `compute capability <8.9, shared memory <=101376 bytes`."""
    said: list[str] = []
    for vendor, condition in (raw["vendors"] or {}).items():
        if condition["capabilities"]:
            said.append("compute capability " + " or ".join(condition["capabilities"]))
        elif condition["names"]:
            said.append(" or ".join(condition["names"]))
        else:
            said.append(f"every {vendor.upper()} card")
    text = " or ".join(said)
    properties = (
        ("shared_memory", "shared memory", " bytes"),
        ("memory", "memory", " GiB"),
        ("count", "GPUs", ""),
    )
    rest = [f"{words} {raw[key]}{unit}" for key, words, unit in properties if raw[key] is not None]
    if raw["p2p"] is not None:
        rest.append("peer access" if raw["p2p"] else "no peer access")
    return ", ".join([text] * bool(text) + rest) or "any hardware"


def _software(
    package: str, ranges: Sequence[Mapping[str, str | None]], machine: Machine
) -> tuple[Truth, str]:
    either = machine.either_software if isinstance(machine, Told) else {}
    if package not in machine.software and package not in either:
        return Truth.UNKNOWN, ""
    told = (machine.software[package],) if package in machine.software else either[package]
    versions = [version for version in told if version is not None]
    if not versions:
        return Truth.NO, f"{package} is not there"
    spans = [VersionRange(**span) for span in ranges]  # type: ignore[arg-type]
    truth = _alike(some(span.holds(version) for span in spans) for version in versions)
    claimed = " or ".join(map(describe_versions, ranges))
    return truth, f"{package} {' or '.join(versions)}: the record is about {claimed}"


def describe_versions(span: Mapping[str, str | None]) -> str:
    """A version range in words, such as `0.20.0 to 0.33.0` or `before 0.21.0`."""
    first, fixed, last = span["introduced"], span["fixed"], span["last_bad"]
    if last:
        return f"{first} to {last}" if first else f"up to {last}"
    if fixed:
        return f"{first} to before {fixed}" if first else f"before {fixed}"
    return f"{first} and newer" if first else "every version"


def _platform(name: str, machine: Machine) -> tuple[Truth, str]:
    return Truth.of(machine.platform.get(name)), f"platform {name}"


def _setting(name: str, values: Sequence[str], machine: Machine) -> tuple[Truth, str]:
    either = machine.either_settings if isinstance(machine, Told) else {}
    told = (machine.settings[name],) if name in machine.settings else either.get(name, ())
    if not told:
        return Truth.UNKNOWN, ""
    truth = _alike(Truth.of(value in values) for value in told)
    return truth, f"{name}={' or '.join(told)}: the record is about {' or '.join(values)}"

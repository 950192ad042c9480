"""Records, candidates and results for programs. The index is a part of what each record says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from gpu_gotchas.hardware.conditions import HardwareCondition
from gpu_gotchas.hardware.ranges import CapabilityRange, NumberRange
from gpu_gotchas.records.model import Bound, Candidate, Gotcha
from gpu_gotchas.repro.results import Result
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import gotcha_address, json_path, markdown_copy_path
from gpu_gotchas.site.outcome_wording import NOTHING_TO_ADD

FORMAT = 1
LICENCES = {"code": "Apache-2.0", "records": "CC0-1.0", "results": "CC0-1.0", "index": "CC0-1.0"}
_OF_FILES = {"path", "lines"}
"""What a record knows of its own file."""
_OUTCOME = ("probe", "role", "outcome", "masked_by", "measured")
_IN_INDEX = ("id", "title", "status", "severity", "kind", "added", "concepts", "aliases", "reporter_count")


def index(knowledge: Knowledge) -> str:
    """index.json: what there is, and where the rest of it lies."""
    return dump(
        {
            "version": FORMAT,
            "generated": knowledge.generated,
            "generator": f"gpu-gotchas {knowledge.version}",
            "licences": LICENCES,
            "addresses": {
                "page": gotcha_address("ID"),
                "json": json_path("ID"),
                "markdown": markdown_copy_path("ID"),
            },
            "gotchas": [_brief(entry) for entry in knowledge.entries],
            "candidates": [_candidate(candidate) for candidate in knowledge.candidates],
        }
    )


def record(entry: Entry) -> str:
    """gotchas/<id>.json: everything about one record."""
    return dump({"version": FORMAT, "licence": LICENCES["records"], **_record(entry)})


def _brief(entry: Entry) -> dict[str, Any]:
    gotcha = entry.gotcha
    said = {key: plain(getattr(gotcha, key)) for key in _IN_INDEX}
    return {
        **said,
        "status": entry.status.value,
        "summary": gotcha.symptom.summary,
    }


def _record(entry: Entry) -> dict[str, Any]:
    """status: what results bear out; claimed_status: what the record says. Withdrawn advice is left out."""
    gotcha, proof = entry.gotcha, entry.proof
    said = plain(gotcha)
    if gotcha.status.withdrawn:
        del said["workaround"], said["fixes"]
    return {
        **said,
        "status": entry.status.value,
        "claimed_status": gotcha.status.value,
        "proof": None if proof is None else {"status": proof.status.value, **plain(proof)},
        **results(entry.results),
    }


def results(found: Iterable[Result]) -> dict[str, Any]:
    """results: by how they were had, each with its outcomes. runs: with which versions that was, and when.

    reasons: what failed in its own words. `run` and `reason` count in these, from 0. Outcomes that differ in
    release and target only are one.
    """
    runs: list[dict[str, Any]] = []
    reasons: list[str] = []
    ways: dict[str, tuple[dict[str, Any], list[Result]]] = {}
    for result in found:
        run = _run(result)
        if run not in runs:
            runs.append(run)
        way = {
            "tier": result.tier.value,
            "subject": result.subject.value,
            "package": (result.package or "").partition("==")[0] or None,
            "device": result.device,
            "run": runs.index(run),
        }
        ways.setdefault(json.dumps(way), (way, []))[1].append(result)
    return {
        "runs": runs,
        "results": [{**way, "outcomes": list(_outcomes(some, reasons))} for way, some in ways.values()],
        "reasons": reasons,
    }


def _run(result: Result) -> dict[str, Any]:
    tested = (result.package or "").partition("==")[0]
    versions = {name: version for name, version in result.versions.items() if name != tested}
    said = {"date": result.date[:10], "versions": versions}
    return {**said, "stand_ins": list(result.stand_ins)} if result.stand_ins else said


def _outcomes(had_alike: Iterable[Result], reasons: list[str]) -> Iterator[dict[str, Any]]:
    """Releases of the same targets together. releases: left out where no package was run. reasons grow."""
    alike: dict[str, tuple[dict[str, Any], dict[str, list[str]]]] = {}
    for result in had_alike:
        said = _outcome(result, reasons)
        _, ran = alike.setdefault(json.dumps(said, sort_keys=True), (said, {}))
        ran.setdefault((result.package or "").partition("==")[2], []).append(result.target)
    for said, ran in alike.values():
        releases: dict[tuple[str, ...], list[str]] = {}
        for release, targets in ran.items():
            releases.setdefault(tuple(dict.fromkeys(targets)), []).extend([release] if release else [])
        for targets_alike, some in releases.items():
            yield {**said, **({"releases": some} if some else {}), "targets": list(targets_alike)}


def _outcome(result: Result, reasons: list[str]) -> dict[str, Any]:
    """As in its own line, without what is absent; where nothing failed, the reason says that again."""
    said = {name: plain(getattr(result, name)) for name in _OUTCOME if getattr(result, name)}
    if result.reason and result.outcome not in NOTHING_TO_ADD:
        if result.reason not in reasons:
            reasons.append(result.reason)
        said["reason"] = reasons.index(result.reason)
    return said


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {**plain(candidate), "status": "candidate"}


def plain(value: Any) -> Any:
    """Frozen data as JSON types. Ranges stay in the record's words; what is empty in parts is left out."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, CapabilityRange | NumberRange):
        return value.text
    if isinstance(value, Bound):
        return str(value)
    if isinstance(value, HardwareCondition):
        return _hardware(value)
    if is_dataclass(value) and not isinstance(value, type):
        said = {one.name: plain(getattr(value, one.name)) for one in fields(value)}
        if isinstance(value, Gotcha | Candidate):
            return {name: part for name, part in said.items() if name not in _OF_FILES}
        return {name: part for name, part in said.items() if part not in (None, "", [], {})}
    if isinstance(value, Mapping):
        return {plain(key): plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    return value


def _hardware(condition: HardwareCondition) -> Any:
    """As a record writes it: `any`, or vendors and properties that are asked for."""
    said: dict[str, Any] = {}
    for vendor, wanted in (condition.vendors or {}).items():
        if wanted.any:
            said[vendor.value] = "any"
        elif wanted.capabilities:
            said[vendor.value] = {"compute_capability": plain(wanted.capabilities)}
        else:
            said[vendor.value] = {"gfx": plain(wanted.names)}
    for name in ("shared_memory", "memory", "count", "p2p"):
        if getattr(condition, name) is not None:
            said[name] = plain(getattr(condition, name))
    return said or "any"


def dump(value: Any) -> str:
    """ASCII, so that no reader has to guess the encoding and nothing invisible is inside."""
    return json.dumps(value, separators=(",", ":")) + "\n"

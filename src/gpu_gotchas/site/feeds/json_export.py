"""Records, candidates and results for programs. The index is a part of what each record says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from gpu_gotchas.hardware.conditions import HardwareCondition
from gpu_gotchas.hardware.ranges import CapabilityRange, NumberRange
from gpu_gotchas.records.model import Bound, Candidate, Gotcha
from gpu_gotchas.repro.results import Result
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import gotcha_address, json_path, markdown_copy_path

FORMAT = 1
LICENCES = {"code": "Apache-2.0", "records": "CC0-1.0", "results": "CC0-1.0", "index": "CC0-1.0"}
_OF_FILES = {"path", "lines"}
"""What a record knows of its own file."""
_OF_ONE_RUN = {"gotcha", "proves", "seconds", "target", "package"}
"""What stands in the record already, or is of no use to a reader."""
_IN_INDEX = ("id", "title", "status", "severity", "kind", "added", "concepts", "aliases", "reporter_count")


def index(knowledge: Knowledge) -> str:
    """index.json: what there is, and where the rest of it lies."""
    return dump(
        {
            "version": FORMAT,
            "generated": knowledge.generated,
            "generator": f"gpu-gotchas {knowledge.version}",
            "licences": LICENCES,
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
        "page": gotcha_address(gotcha.id),
        "json": json_path(gotcha.id),
        "markdown": markdown_copy_path(gotcha.id),
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
        "results": results(entry.results),
    }


def results(found: Iterable[Result]) -> list[dict[str, Any]]:
    """Results that differ in target, release and minute only, as one with all its targets and releases.

    targets: by release, "" where no package was run.
    """
    alike: dict[str, dict[str, Any]] = {}
    for result in found:
        said = _result(result)
        one = alike.setdefault(json.dumps(said, sort_keys=True), {**said, "targets": {}})
        one["targets"].setdefault(result.package or "", []).append(result.target)
    return list(alike.values())


def _result(result: Result) -> dict[str, Any]:
    """What it says, as in its own line, without what stands in the record or differs from run to run."""
    values = {one.name: getattr(result, one.name) for one in fields(result) if one.name not in _OF_ONE_RUN}
    said = {name: plain(value) for name, value in values.items() if value not in (None, False, (), "")}
    tested = (result.package or "").partition("==")[0]
    said["versions"] = {name: one for name, one in result.versions.items() if name != tested}
    said["date"] = result.date[:10]
    return said


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {**plain(candidate), "status": "candidate"}


def plain(value: Any) -> Any:
    """Frozen data as JSON types. Ranges stay in the record's own words."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, CapabilityRange | NumberRange):
        return value.text
    if isinstance(value, Bound):
        return str(value)
    if isinstance(value, HardwareCondition):
        return _hardware(value)
    if is_dataclass(value) and not isinstance(value, type):
        left_out = _OF_FILES if isinstance(value, Gotcha | Candidate) else ()
        return {
            one.name: plain(getattr(value, one.name)) for one in fields(value) if one.name not in left_out
        }
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

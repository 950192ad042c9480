"""The examination as SARIF 2.1.0, for code scanning.

Each record is a rule; what will happen is a result of kind `fail`, what is likely one of kind `review`, and
what is ignored is suppressed. A machine has no line of code: results point at the file that was asked about
and its line, and at no file where there is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from gpu_gotchas import __version__
from gpu_gotchas.doctor.assess import Assessment, Verdict
from gpu_gotchas.doctor.examination import Examination
from gpu_gotchas.doctor.formats.severity import level as level_of
from gpu_gotchas.doctor.formats.severity import message, status
from gpu_gotchas.doctor.ignores import Ignore
from gpu_gotchas.doctor.places import Place
from gpu_gotchas.records.model import Severity

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.BLOCKER: "error", Severity.MAJOR: "error", Severity.MINOR: "warning", None: "note"}


def report(examination: Examination, places: Mapping[str, Place] | None = None) -> dict[str, Any]:
    """places: of findings in files, by id."""
    shown: list[tuple[Assessment, Ignore | None]] = [(one, None) for one in examination.named]
    shown += examination.ignored
    positions = {one.gotcha.id: number for number, (one, _) in enumerate(shown)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "gpu-gotchas",
                        "version": __version__,
                        "semanticVersion": __version__,
                        "rules": [_rule(one) for one, _ in shown],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "toolConfigurationNotifications": [
                            {"level": level, "message": {"text": text}}
                            for level, texts in (
                                ("warning", examination.complaints),
                                ("note", examination.notes),
                            )
                            for text in texts
                        ],
                    }
                ],
                "columnKind": "unicodeCodePoints",
                "results": [
                    _result(one, ignore, positions, examination, places or {}) for one, ignore in shown
                ],
            }
        ],
    }


def _rule(one: Assessment) -> dict[str, Any]:
    record = one.gotcha
    return {
        "id": record.id,
        "shortDescription": {"text": record.title},
        "fullDescription": {"text": " ".join(record.summary.split())},
        "help": {"text": "\n".join(each.do for each in record.workaround) or record.title},
        "defaultConfiguration": {"level": _LEVELS[record.severity]},
        "properties": {"tags": list(record.concepts), "status": status(one)},
    }


def _result(
    one: Assessment,
    ignore: Ignore | None,
    positions: Mapping[str, int],
    examination: Examination,
    places: Mapping[str, Place],
) -> dict[str, Any]:
    fails = one.verdict is Verdict.WILL
    result: dict[str, Any] = {
        "ruleId": one.gotcha.id,
        "ruleIndex": positions[one.gotcha.id],
        "kind": "fail" if fails else "review",
        "level": level_of(one) if fails else "none",  # the standard allows no level beside another kind
        "message": {"text": message(one, examination.server_words(one.gotcha.id))},
        "locations": [_location(places.get(one.gotcha.id))],
        "partialFingerprints": {"gotcha/v1": one.gotcha.id},
    }
    if ignore is not None:
        until = f"{ignore.reason} (until {ignore.until.isoformat()})"
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": until}]
    return result


def _location(place: Place | None) -> dict[str, Any]:
    location: dict[str, Any] = {"logicalLocations": [{"name": "machine", "kind": "resource"}]}
    if place is not None:
        physical: dict[str, Any] = {"artifactLocation": {"uri": quote(place.file)}}
        if place.line is not None:
            physical["region"] = {"startLine": place.line}
        location["physicalLocation"] = physical
    return location

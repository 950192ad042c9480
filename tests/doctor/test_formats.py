"""What programs read: JSON with a version, GitHub's annotations, SARIF that its standard accepts."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

import jsonschema

from gpu_gotchas.doctor.assess import assess_all
from gpu_gotchas.doctor.command.launch import Launch
from gpu_gotchas.doctor.examination import Examination
from gpu_gotchas.doctor.formats import github, json_report, sarif
from gpu_gotchas.doctor.ignores import Ignore
from gpu_gotchas.doctor.situation import Situation
from gpu_gotchas.hardware.conditions import VersionRange
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.records.model import FixType, Severity
from tests.doctor.samples import AMPERE, case, fix, gotcha

# The parts of SARIF 2.1.0's schema that these reports use, with its own rules on what may stand where.
SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"enum": ["2.1.0"]},
        "runs": {"type": "array", "items": {"$ref": "#/$defs/run"}},
    },
    "$defs": {
        "text": {
            "type": "object",
            "required": ["text"],
            "additionalProperties": False,
            "properties": {"text": {"type": "string"}, "markdown": {"type": "string"}},
        },
        "level": {"enum": ["none", "note", "warning", "error"]},
        "run": {
            "type": "object",
            "required": ["tool"],
            "additionalProperties": False,
            "properties": {
                "tool": {
                    "type": "object",
                    "required": ["driver"],
                    "additionalProperties": False,
                    "properties": {
                        "driver": {
                            "type": "object",
                            "required": ["name"],
                            "additionalProperties": False,
                            "properties": {
                                "name": {"type": "string"},
                                "version": {"type": "string"},
                                "semanticVersion": {"type": "string"},
                                "rules": {
                                    "type": "array",
                                    "uniqueItems": True,
                                    "items": {"$ref": "#/$defs/rule"},
                                },
                            },
                        }
                    },
                },
                "invocations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["executionSuccessful"],
                        "additionalProperties": False,
                        "properties": {
                            "executionSuccessful": {"type": "boolean"},
                            "toolConfigurationNotifications": {
                                "type": "array",
                                "items": {
                                    "type": "object",
                                    "required": ["message"],
                                    "additionalProperties": False,
                                    "properties": {
                                        "level": {"$ref": "#/$defs/level"},
                                        "message": {"$ref": "#/$defs/text"},
                                    },
                                },
                            },
                        },
                    },
                },
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
            },
        },
        "rule": {
            "type": "object",
            "required": ["id"],
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string"},
                "shortDescription": {"$ref": "#/$defs/text"},
                "fullDescription": {"$ref": "#/$defs/text"},
                "help": {"$ref": "#/$defs/text"},
                "defaultConfiguration": {
                    "type": "object",
                    "properties": {"level": {"$ref": "#/$defs/level"}},
                },
                "properties": {
                    "type": "object",
                    "properties": {"tags": {"type": "array", "uniqueItems": True}},
                },
            },
        },
        "result": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": -1},
                "kind": {"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
                "level": {"$ref": "#/$defs/level"},
                "message": {"$ref": "#/$defs/text"},
                "locations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {
                            "physicalLocation": {
                                "type": "object",
                                "required": ["artifactLocation"],
                                "properties": {
                                    "artifactLocation": {
                                        "type": "object",
                                        "properties": {"uri": {"type": "string", "format": "uri-reference"}},
                                    },
                                    "region": {
                                        "type": "object",
                                        "properties": {"startLine": {"type": "integer", "minimum": 1}},
                                    },
                                },
                            },
                            "logicalLocations": {"type": "array"},
                        },
                    },
                },
                "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                "suppressions": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["kind"],
                        "additionalProperties": False,
                        "properties": {
                            "kind": {"enum": ["inSource", "external"]},
                            "status": {"enum": ["accepted", "underReview", "rejected"]},
                            "justification": {"type": "string"},
                        },
                    },
                },
            },
            "if": {"properties": {"kind": {"not": {"const": "fail"}}}},
            "then": {"properties": {"level": {"const": "none"}}},
        },
    },
}


def examined() -> Examination:
    span = (VersionRange(fixed="0.26.0"),)
    remedy = (fix("gpu_gotchas.fixes.staged_cast", FixType.KERNEL), fix("--dtype half", FixType.SETTING))
    machine = described_machine("nvidia-rtx-a5000")
    records = [
        gotcha(case(AMPERE), id="will-blocker", severity=Severity.BLOCKER, fixes=remedy[:1]),
        gotcha(case(AMPERE), id="will-minor", severity=Severity.MINOR),
        gotcha(case(AMPERE), id="will-ignored"),
        gotcha(case(AMPERE, {"vllm": span}), id="may-major"),
        gotcha(case(platform=("windows",)), case(when={"dtype": ("half",)}), id="may-other"),
        gotcha(case(software={"vllm": span}, hardware=None), id="may-third"),
        gotcha(case(described_machine("sm_90") and AMPERE, {"vllm": ()}), id="may-second"),
    ]
    found = assess_all(records, machine)
    a_report = gotcha(case(AMPERE, {"vllm": ()}), id="a-report")
    installed = replace(machine, software={"vllm": "0.25.0"})
    ignored = next(one for one in found if one.gotcha.id == "will-ignored")
    launch = Launch("vllm", "org/model", {"dtype": "bfloat16"}, {"HF_TOKEN": "secret"}, notes=("a note",))
    return Examination(
        Situation(machine, {}, launch, ("the options",), ("a note",)),
        tuple(one for one in found if one is not ignored),
        ((ignored, Ignore("will-ignored", "We know.", date(2027, 3, 31))),),
        ("x is ignored: take it out",),
        assess_all([replace(a_report, status=None, severity=None, kind=None)], installed),
    )


def test_sarif_is_as_its_standard_has_it() -> None:
    report = sarif.report(examined(), "requirements.txt")
    jsonschema.Draft202012Validator.check_schema(SARIF)
    jsonschema.validate(report, SARIF)
    (run,) = report["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules) == len(run["results"])
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    by_id = {result["ruleId"]: result for result in run["results"]}
    assert (by_id["will-blocker"]["kind"], by_id["will-blocker"]["level"]) == ("fail", "error")
    assert by_id["will-minor"]["level"] == "warning"
    assert (by_id["may-major"]["kind"], by_id["may-major"]["level"]) == ("review", "none")
    assert by_id["will-ignored"]["suppressions"][0]["justification"] == "We know. (until 2027-03-31)"
    json.dumps(report, allow_nan=False)


def test_json_says_each_condition_and_no_secret() -> None:
    report = json_report.report(examined())
    assert report["version"] == 1
    assert report["counts"] == {"will": 2, "may": 4, "cannot": 0, "biting": 2, "ignored": 1, "reported": 1}
    assert report["command"] == {
        "package": "vllm",
        "model": "org/model",
        "settings": {"dtype": "bfloat16"},
        "variables": ["HF_TOKEN"],
    }
    first = report["gotchas"][0]
    assert (first["id"], first["verdict"], first["bites"]) == ("will-blocker", "will", True)
    assert first["fix"]["remedies"][0]["how"] == "from gpu_gotchas.fixes import staged_cast"
    (condition,) = first["cases"][0]["conditions"]
    assert condition["holds"] == "yes"
    assert report["ignored"][0]["ignored"] == {"reason": "We know.", "until": "2027-03-31"}
    assert "secret" not in json.dumps(report)
    assert [one["id"] for one in report["gotchas"] if one["named"]] == [
        "will-blocker",
        "will-minor",
        "may-major",
    ]
    assert report["reported"] == [], "less likely than what is proven"
    (more,) = json_report.report(examined(), everything=True)["reported"]
    assert (more["status"], more["severity"], more["verdict"], more["bites"]) == (
        "candidate",
        None,
        "may",
        False,
    )


def test_what_is_reported_says_so_in_every_form() -> None:
    found = examined().reported
    alone = Examination(Situation(described_machine("sm_86")), (), reported=found)
    (line,) = github.lines(alone)
    assert line.startswith("::notice title=gotcha%2C reported and not proven%3A a-report::")
    report = sarif.report(alone)
    jsonschema.validate(report, SARIF)
    (result,) = report["runs"][0]["results"]
    assert (result["kind"], result["level"]) == ("review", "none")
    assert "reported, not proven" in result["message"]["text"]
    (rule,) = report["runs"][0]["tool"]["driver"]["rules"]
    assert rule["properties"]["status"] == "candidate"


def test_what_cannot_happen_is_shown_on_request() -> None:
    found = assess_all([gotcha(case(AMPERE))], described_machine("sm_90"))
    examination = Examination(Situation(described_machine("sm_90")), found)
    assert json_report.report(examination)["gotchas"] == []
    assert len(json_report.report(examination, everything=True)["gotchas"]) == 1


def test_annotations_are_one_line_each_whatever_a_text_holds() -> None:
    lines = list(github.lines(examined()))
    assert [line.split(" ", 1)[0] for line in lines] == [
        "::error",
        "::warning",
        "::notice",
        "::warning",
    ]
    assert all("title=gotcha" in line for line in lines)
    hostile = Examination(Situation(described_machine("sm_90")), (), (), ("a\n::error::b\r%0A\x1b[31m",))
    (line,) = github.lines(hostile)
    assert line.endswith("::a%0A::error::b%0D%250A?[31m")
    assert "\n" not in line

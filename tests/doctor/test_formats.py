"""What programs read: JSON with a version, GitHub's annotations, SARIF that its standard accepts."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gpu_gotchas.cli.doctor_text import print_examination
from gpu_gotchas.cli.terminal import Terminal
from gpu_gotchas.doctor.assess import assess_all
from gpu_gotchas.doctor.command.launch import Launch
from gpu_gotchas.doctor.examination import Examination
from gpu_gotchas.doctor.formats import github, json_report, sarif
from gpu_gotchas.doctor.ignores import Ignore
from gpu_gotchas.doctor.places import Place
from gpu_gotchas.doctor.situation import Situation
from gpu_gotchas.hardware.conditions import VersionRange
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.records.model import FixType, Severity
from tests.doctor.samples import AMPERE, case, fix, gotcha

# The whole of SARIF 2.1.0's own schema; see sarif/README.md.
SARIF: dict[str, Any] = json.loads(
    (Path(__file__).parent / "sarif" / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8")
)


def standard(report: dict[str, Any]) -> None:
    """Holds it against the schema, and against what the standard says in words alone."""
    jsonschema.Draft4Validator(SARIF, format_checker=jsonschema.FormatChecker()).validate(report)
    (run,) = report["runs"]
    for result in run["results"]:
        assert result["kind"] == "fail" or result["level"] == "none"


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
    report = sarif.report(examined(), {"will-minor": Place("a b.txt", 7), "may-major": Place("x.txt")})
    standard(report)
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
    physical = {id: result["locations"][0].get("physicalLocation") for id, result in by_id.items()}
    assert physical == {
        **dict.fromkeys(by_id),
        "will-minor": {"artifactLocation": {"uri": "a%20b.txt"}, "region": {"startLine": 7}},
        "may-major": {"artifactLocation": {"uri": "x.txt"}},
    }
    json.dumps(report, allow_nan=False)


def test_an_annotation_stands_in_the_file_and_line_that_say_why() -> None:
    places = {"will-minor": Place("a,b:c.txt", 7), "may-major": Place("x.txt")}
    told = {line.partition("::gotcha")[0].split(" ", 1)[1] for line in github.lines(examined(), places)}
    heads = [one.partition(",title=")[0] for one in sorted(told) if one.startswith("file=")]
    assert heads == ["file=a%2Cb%3Ac.txt,line=7", "file=x.txt"]


def test_of_several_servers_each_finding_says_which_it_is_of() -> None:
    one = examined()
    other = Situation(one.situation.machine, {}, Launch("sglang", "org/other", {}))
    several = replace(one, further=(other,), servers={"will-minor": (2,), "may-major": (1, 2)})
    texts = {line.partition("::")[2].partition("::")[0]: line for line in github.lines(several)}
    assert "Of server 2: sglang org/other." in texts["warning title=gotcha%3A will-minor"]
    assert "Of servers 1: vllm org/model, 2: sglang org/other." in texts["notice title=gotcha%3A may-major"]
    report = json_report.report(several)
    assert {each["id"]: each["servers"] for each in report["gotchas"]}["may-major"] == [1, 2]
    assert "Of server" not in " ".join(github.lines(one))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda run: run.update(results=[{}]),
        lambda run: run["results"][0].update(kind="fails"),
        lambda run: run["results"][0]["locations"][0].update(line=1),
        lambda run: run["tool"]["driver"].pop("name"),
        lambda run: run["tool"]["driver"]["rules"][0]["defaultConfiguration"].update(level="fatal"),
        lambda run: run["invocations"][0].pop("executionSuccessful"),
    ],
)
def test_the_schema_refuses_what_is_no_sarif(spoil: Callable[[dict[str, Any]], Any]) -> None:
    report = sarif.report(examined())
    spoil(report["runs"][0])
    with pytest.raises(jsonschema.ValidationError):
        standard(report)


def test_what_was_not_read_of_a_command_is_told_to_programs_too() -> None:
    (invocation,) = sarif.report(examined())["runs"][0]["invocations"]
    told = {one["message"]["text"]: one["level"] for one in invocation["toolConfigurationNotifications"]}
    assert told == {"x is ignored: take it out": "warning", "a note": "note"}
    assert "::notice title=gotchas%3A note::a note" in list(github.lines(examined()))


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
    standard(report)
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
        "::notice",
    ]
    assert all("title=gotcha" in line for line in lines)
    hostile = Examination(Situation(described_machine("sm_90")), (), (), ("a\n::error::b\r%0A\x1b[31m",))
    (line,) = github.lines(hostile)
    assert line.endswith("::a%0A::error::b%0D%250A?[31m")
    assert "\n" not in line


def test_what_a_fix_in_force_stops_is_told_as_that() -> None:
    record = gotcha(case(AMPERE), id="held", fixes=(fix("--enforce-eager", FixType.SETTING),))
    machine = replace(described_machine("sm_86"), settings={"enforce_eager": "true"})
    held = Examination(Situation(machine), assess_all([record], machine))
    (line,) = github.lines(held)
    assert line.startswith("::notice ")
    assert "would happen, and a fix in force stops it" in line
    (result,) = sarif.report(held)["runs"][0]["results"]
    assert result["level"] == "note"
    out = io.StringIO()
    print_examination(held, Terminal(out, out, {}), explain=False, everything=False)
    assert "Would happen, and a fix in force stops it (1)" in out.getvalue()
    assert "Will happen" not in out.getvalue()
    assert "Fix in force: --enforce-eager" in out.getvalue()

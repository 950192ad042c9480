"""`gotchas run`, over the small base and in a folder of somebody else's."""

from __future__ import annotations

import os
import shutil

import pytest

from gpu_gotchas.repro.outcomes import Outcome
from tests.proving.project import Project, add_hanging, block, symptom
from tests.repro.samples import write_gotcha

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

NEEDY = """
'''A repro that needs what is not installed.'''

import torch


def bug_logic(target): ...
def fixed_logic(target): ...
"""


def test_each_run_is_told_on_a_line_of_its_own_by_name_and_outcome(project: Project) -> None:
    project.write("test_theirs.py", "def test_theirs(): assert False\n")
    project.write("conftest.py", "raise SystemExit('not asked for')\n")
    done = project.gotchas("run", "widget-misfit", "--report", "r.jsonl")
    assert done.code == 0
    told = [line.rpartition(" [")[0].split() for line in done.lines if line.rstrip().endswith("%]")]
    assert told == [
        ["gotchas/widget-misfit::bug[logic-cpu]", "reproduced"],
        ["gotchas/widget-misfit::fixed[logic-cpu]", "fix-confirmed"],
        ["gotchas/widget-misfit::control[logic-cpu]", "control-clean"],
    ]
    assert any(line.startswith("gotchas: ") for line in done.lines), "hardware and versions"
    assert len(project.results("r.jsonl")) == 3
    assert "gotchas-run-" not in done.output


@pytest.mark.parametrize("where", ["in the working copy", "elsewhere"])
def test_it_runs_in_our_own_working_copy_as_elsewhere(project: Project, where: str) -> None:
    folder = project.root.parent if where == "in the working copy" else project.folder
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --gotchas\n")
    done = Project(folder, project.root, project.paths).gotchas("run", "widget-misfit")
    assert done.code == 0
    assert "3 passed" in done.output


def test_what_is_skipped_whole_is_5(project: Project) -> None:
    done = project.gotchas("run", "--tier", "device")
    assert (done.code, "1 skipped" in done.output) == (5, True)
    assert project.gotchas("run").code == 0, "something ran"


def test_a_missing_package_is_named_with_what_helps(project: Project) -> None:
    write_gotcha(project.root, NEEDY, id="needs-torch", symptom=symptom("cog"), control="condition")
    done = project.gotchas("run", "needs-torch", "--report", "r.jsonl")
    assert done.code == 5
    assert {(result.outcome, result.reason) for result in project.results("r.jsonl")} == {
        (Outcome.SKIPPED, "needs torch, which is not installed here")
    }
    assert "Some runs need torch, not installed here. From a clone: pip install '.[repro]'" in done.output


def test_without_pytest_it_says_what_helps(project: Project) -> None:
    block(project.folder, "pytest")
    done = project.gotchas("run")
    assert done.code == 5
    assert "needs pytest, Triton and torch. From a clone: pip install '.[repro]'" in done.output


def test_a_control_that_fails_unexplained_is_1_and_a_time_out_names_limit_and_option(
    project: Project,
) -> None:
    shutil.rmtree(project.root / "card-only")
    record = project.root / "widget-misfit" / "repro.py"
    record.write_text(
        record.read_text().replace("def control_logic(target):", "def control_logic(target):\n    1 / 0")
    )
    add_hanging(project.root)
    done = project.gotchas("run", "--timeout", "2", "--report", "r.jsonl")
    assert done.code == 1
    reasons = {(result.gotcha, result.probe.value): result for result in project.results("r.jsonl")}
    control, hanging = reasons["widget-misfit", "control"], reasons["zz-hangs", "bug"]
    assert control.outcome is Outcome.WRONG_SYMPTOM
    assert control.reason.startswith("fails here too, and no record explains it: ZeroDivisionError")
    assert (hanging.outcome, hanging.reason) == (
        Outcome.TIMED_OUT,
        "no answer within 2 s (--gotcha-timeout)",
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nope",), "no gotcha is called nope: `gotchas list` names them all"),
        (("--target", "foo"), "unknown target 'foo'; name it as sm_86"),
        (("--timeout", "0"), "wants a number of seconds above 0"),
    ],
)
def test_what_is_asked_wrongly_is_2(project: Project, arguments: tuple[str, ...], told: str) -> None:
    done = project.gotchas("run", *arguments)
    assert (done.code, told in done.output) == (2, True)

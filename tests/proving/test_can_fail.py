"""A proof that could not fail would prove nothing: what is wrong with a record or a repro turns the run red.

On a copy of a real compile gotcha, for the two targets below its bound and the one above.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.proving.knowledge import knowledge
from gpu_gotchas.records.loading import load_all
from gpu_gotchas.records.root import OVERRIDE, package_root
from gpu_gotchas.repro.children import Children
from gpu_gotchas.repro.keeping import keep
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.plan import Run, plan
from gpu_gotchas.repro.probe import Probe, Role, Tier
from gpu_gotchas.repro.proof import check_proofs
from gpu_gotchas.repro.results import Result
from gpu_gotchas.repro.runner import Runner
from gpu_gotchas.repro.source import read_repro
from gpu_gotchas.repro.targets import affected_targets, compiled_targets
from tests.proving.project import Project

pytest.importorskip("torch")
pytest.importorskip("triton")

ID = "triton-fp8e4nv-below-sm89"
ORIGINAL = package_root().parent.parent / "gotchas" / ID
TARGETS = ("sm_86", "sm_87", "sm_89")

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="Triton compiles on Linux only"),
    pytest.mark.skipif(not ORIGINAL.is_dir(), reason="the records of the checkout are not here"),
]

Outcomes = dict[tuple[str, str], Outcome]


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    with Children() as shared:
        yield shared


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "gotchas" / ID
    shutil.copytree(ORIGINAL, folder, ignore=shutil.ignore_patterns("verified.jsonl", "__pycache__"))
    monkeypatch.setenv(OVERRIDE, str(folder.parent))
    return folder


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text, f"{path} no longer holds {old!r}"
    path.write_text(text.replace(old, new))


def results(copy: Path, children: Children) -> list[Result]:
    gotchas = load_all()
    (gotcha,) = gotchas
    repro = read_repro(copy)
    assert repro
    planned = [
        run
        for run in plan(gotcha, repro, Machine(cards=()))
        if isinstance(run, Run) and run.tier is Tier.COMPILE and run.target_name in TARGETS
    ]
    runner = Runner(children, knowledge(gotchas))
    return [runner.run(run) for run in planned]


def outcomes(copy: Path, children: Children) -> Outcomes:
    return {(result.probe.value, result.target): result.outcome for result in results(copy, children)}


GREEN: Outcomes = {
    ("bug", "sm_86"): Outcome.REPRODUCED,
    ("bug", "sm_87"): Outcome.REPRODUCED,
    ("bug", "sm_89"): Outcome.CONTROL_CLEAN,
    ("fixed", "sm_86"): Outcome.FIX_CONFIRMED,
    ("fixed", "sm_87"): Outcome.FIX_CONFIRMED,
    ("fixed", "sm_89"): Outcome.FIX_CONFIRMED,
}


def test_as_it_is_it_is_green(copy: Path, children: Children) -> None:
    assert outcomes(copy, children) == GREEN


def test_a_range_that_is_one_target_too_narrow_is_red(copy: Path, children: Children) -> None:
    edit(copy / "gotcha.yaml", '"<8.9"', '"<8.7"')
    assert outcomes(copy, children)["bug", "sm_87"] is Outcome.CONTROL_DIRTY


def test_one_that_is_one_target_too_wide_is_red(copy: Path, children: Children) -> None:
    edit(copy / "gotcha.yaml", '"<8.9"', '"<9.0"')
    assert outcomes(copy, children)["bug", "sm_89"] is Outcome.NOT_REPRODUCED


def test_a_signature_that_is_one_word_off_is_red(copy: Path, children: Children) -> None:
    edit(copy / "gotcha.yaml", "type fp8e4nv not supported in this", "type fp8e4nv not supported in that")
    seen = outcomes(copy, children)
    assert {seen["bug", "sm_86"], seen["bug", "sm_87"]} == {Outcome.WRONG_SYMPTOM}


def test_a_fix_that_is_the_bug_is_red(copy: Path, children: Children) -> None:
    edit(copy / "repro.py", "def fixed(", "def fixed(target):\n    return bug(target)\n\n\ndef _was_fixed(")
    seen = outcomes(copy, children)
    assert {seen["fixed", "sm_86"], seen["fixed", "sm_87"]} == {Outcome.FIX_FAILED}
    assert seen["fixed", "sm_89"] is Outcome.FIX_CONFIRMED


def test_a_fix_that_does_nothing_is_red(copy: Path, children: Children) -> None:
    edit(copy / "repro.py", "def fixed(", "def fixed(target):\n    return None\n\n\ndef _was_fixed(")
    seen = outcomes(copy, children)
    assert {seen["fixed", target] for target in TARGETS} == {Outcome.CRASHED}


@pytest.mark.parametrize(
    ("raises", "affected", "control"),
    [
        ("ValueError('something else')", Outcome.WRONG_SYMPTOM, Outcome.WRONG_SYMPTOM),
        (
            "ValueError('type fp8e4nv not supported in this architecture')",
            Outcome.REPRODUCED,
            Outcome.CONTROL_DIRTY,
        ),
    ],
)
def test_a_bug_that_always_raises_is_red(
    copy: Path, children: Children, raises: str, affected: Outcome, control: Outcome
) -> None:
    edit(copy / "repro.py", "def bug(", f"def bug(target):\n    raise {raises}\n\n\ndef _was_bug(")
    seen = outcomes(copy, children)
    assert (seen["bug", "sm_86"], seen["bug", "sm_89"]) == (affected, control)
    assert affected.failed or control.failed


def test_editing_the_repro_makes_its_proof_stale(copy: Path, children: Children) -> None:
    """What was measured on two affected targets stands for the others, which are not run here."""
    (gotcha,) = load_all()
    measured = results(copy, children)
    models = {result.probe: result for result in measured if result.target == "sm_86"}
    others = [target for target in affected_targets(gotcha, compiled_targets()) if target.name not in TARGETS]
    copied = [
        replace(models[probe], target=target.name) for target in others for probe in (Probe.BUG, Probe.FIXED)
    ]
    assert keep(gotcha, [*measured, *copied]).added == len(measured) + len(copied)
    assert check_proofs([gotcha]) == []
    edit(copy / "repro.py", "BLOCK = 256", "BLOCK = 512")
    (problem,) = check_proofs([gotcha])
    assert "status is verified, and that is not proven" in problem.message
    assert "kept results speak of an older form" in problem.message


def test_red_is_what_pytest_shows(copy: Path, project: Project) -> None:
    """The way from an outcome to an exit code, once, with Triton as it is installed."""
    edit(copy / "gotcha.yaml", '"<8.9"', '"<8.7"')
    own = Project(project.folder, copy.parent, project.paths)
    for blocked in ("torch.py", "triton.py"):
        (Path(own.paths[0]) / blocked).unlink()
    chosen = [f"--gotcha-target={target}" for target in TARGETS[1:]]
    done = own.run("--gotchas", "--gotcha-tier=compile", *chosen, "--gotcha-report=r.jsonl")
    assert done.code == 1
    assert "came out control-dirty" in done.output
    (dirty,) = [result for result in own.results("r.jsonl") if result.outcome.failed]
    assert (dirty.target, dirty.probe, dirty.role) == ("sm_87", Probe.BUG, Role.CONTROL)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.repro import runner as module
from gpu_gotchas.repro.fingerprint import fingerprint
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.packages import PackageError
from gpu_gotchas.repro.plan import NotRun, Run, plan
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from gpu_gotchas.repro.request import Answer, Observation, Request
from gpu_gotchas.repro.results import parse_result
from gpu_gotchas.repro.runner import Runner
from tests.repro.samples import OBSERVABLE, a_run, knows, raised, read_gotcha, returned

Shown = Callable[[Request], Observation]


class Staged:
    """Children that show what they are told to show, and remember what they were asked."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self.asked: list[tuple[Request, float]] = []

    def run(self, request: Request, timeout: float) -> Observation:
        self.asked.append((request, timeout))
        return self._shown(request)

    @property
    def trials(self) -> list[str]:
        return [request.target for request, _ in self.asked if request.path.endswith("trial.py")]


def staged(shown: Shown | Observation, **parts: Any) -> tuple[Runner, Staged]:
    children = Staged(shown if callable(shown) else lambda _: shown)
    return Runner(children, knows(), **parts), children  # type: ignore[arg-type]


@pytest.fixture
def logic(tmp_path: Path) -> Run:
    gotcha, repro = read_gotcha(tmp_path, control="condition")
    return replace(a_run(gotcha), repro=repro, function="bug_logic")


def compiled(run: Run, probe: Probe = Probe.BUG, target: str = "sm_86") -> Run:
    return replace(run, tier=Tier.COMPILE, target=find_target(target), probe=probe, function=probe.value)


def test_a_result_says_what_ran_and_what_it_proves(logic: Run) -> None:
    runner, _ = staged(raised(versions={"python": "3.11.7"}), by="github:someone")
    result = runner.run(logic)
    assert result.outcome is Outcome.REPRODUCED
    assert (result.gotcha, result.tier, result.target) == ("made-up", Tier.LOGIC, "cpu")
    assert (result.probe, result.role, result.subject) == (Probe.BUG, Role.AFFECTED, Subject.MECHANISM)
    assert result.proves == fingerprint(logic.gotcha, logic.repro)
    assert result.versions == {"python": "3.11.7"}
    assert result.by == "github:someone"
    assert result.seconds == 0.1
    assert not result.described
    assert parse_result(result.to_json()) == result


def test_what_cannot_run_becomes_a_result_with_the_reason(logic: Run) -> None:
    runner, children = staged(returned(), described=True)
    result = runner.run(NotRun(logic.gotcha, Tier.DEVICE, "no card"))
    assert (result.outcome, result.reason, result.proves) == (Outcome.SKIPPED, "no card", "")
    assert result.described
    assert children.asked == []
    assert parse_result(result.to_json()) == result


def test_a_reason_can_be_printed_and_written(logic: Run) -> None:
    runner, _ = staged(raised("ValueError: the widget \x1b[31mw7\x1b[0m does not fit\udc80\u2028"))
    result = runner.run(logic)
    assert result.outcome is Outcome.REPRODUCED
    assert "\x1b" not in result.reason
    result.to_json().encode()


class TestTheTrial:
    """The installed Triton is asked once for each target whether it generates code for it at all."""

    def test_a_target_that_triton_refuses_is_skipped_in_its_own_words(self, logic: Run) -> None:
        runner, children = staged(raised("RuntimeError: no such target\nCalledProcessError: ptxas gave up"))
        for probe in (Probe.BUG, Probe.FIXED):
            result = runner.run(compiled(logic, probe))
            assert result.outcome is Outcome.SKIPPED
            assert (
                result.reason
                == "the Triton here generates no code for sm_86: CalledProcessError: ptxas gave up"
            )
        assert children.trials == ["sm_86"]
        assert len(children.asked) == 1

    def test_a_target_that_it_takes_is_run(self, logic: Run) -> None:
        runner, children = staged(
            lambda request: returned(launches=1) if request.path.endswith("trial.py") else raised()
        )
        assert runner.run(compiled(logic)).outcome is Outcome.REPRODUCED
        assert runner.run(compiled(logic, target="sm_87")).outcome is Outcome.REPRODUCED
        assert children.trials == ["sm_86", "sm_87"]

    def test_without_triton_it_says_so(self, logic: Run) -> None:
        answer = Answer("unloadable", exception="ModuleNotFoundError: No module named 'triton'")
        runner, _ = staged(Observation(answer, 0, 0.1))
        result = runner.run(compiled(logic))
        assert result.outcome is Outcome.SKIPPED
        assert result.reason == "Triton cannot be used here: ModuleNotFoundError: No module named 'triton'"

    @pytest.mark.parametrize("package", ["torch", "triton"])
    def test_without_a_package_that_a_launch_needs_it_names_that(self, logic: Run, package: str) -> None:
        runner, _ = staged(Observation(Answer("unloadable", missing=package), 0, 0.1))
        result = runner.run(compiled(logic))
        assert result.outcome is Outcome.SKIPPED
        assert result.reason == f"needs {package}, which is not installed here"

    def test_a_trial_that_was_lost_decides_nothing_and_is_made_again(self, logic: Run) -> None:
        lost = Observation(None, 1, 0.1, lost="the nursery is gone")
        runner, children = staged(lost)
        assert runner.run(compiled(logic)).outcome is Outcome.CRASHED
        runner.run(compiled(logic))
        assert children.trials == ["sm_86", "sm_86"]

    def test_no_trial_is_made_for_logic_or_a_card(self, logic: Run) -> None:
        runner, children = staged(raised())
        runner.run(logic)
        runner.run(replace(compiled(logic), tier=Tier.DEVICE))
        assert children.trials == []


class TestOnAControlOfACard:
    """Nothing is broken there, so the fix must give what the unfixed code gives."""

    def result(self, tmp_path: Path, bug: Observation, fixed: Observation) -> Any:
        gotcha, repro = read_gotcha(tmp_path, "def bug(t): ...\ndef fixed(t): ...\n")
        run = replace(
            a_run(gotcha, Probe.FIXED, Role.CONTROL, Tier.DEVICE, "sm_90"), repro=repro, function="fixed"
        )
        runner, _ = staged(lambda request: bug if request.function == "bug" else fixed)
        return runner.run(run)

    def test_the_same_value_confirms_it(self, tmp_path: Path) -> None:
        assert self.result(tmp_path, returned([1.0]), returned([1.0])).outcome is Outcome.FIX_CONFIRMED

    def test_another_value_fails_it(self, tmp_path: Path) -> None:
        result = self.result(tmp_path, returned([1.0]), returned([2.0]))
        assert (result.outcome, result.reason) == (Outcome.FIX_FAILED, "gives [2.0], the unfixed code [1.0]")

    def test_where_the_unfixed_code_fails_there_is_nothing_to_compare(self, tmp_path: Path) -> None:
        assert self.result(tmp_path, raised("X: y"), returned([2.0])).outcome is Outcome.FIX_CONFIRMED


def test_a_child_is_asked_once_for_each_question(logic: Run) -> None:
    runner, children = staged(raised())
    runner.run(logic)
    runner.run(logic)
    assert len(children.asked) == 1


def test_an_observable_is_measured_as_often_as_the_record_says(tmp_path: Path) -> None:
    gotcha, repro = read_gotcha(tmp_path, symptom={"summary": "Wrong.", "observable": OBSERVABLE})
    runner, children = staged(returned(measured=(0.5, 0.5)))
    result = runner.run(replace(a_run(gotcha), repro=repro))
    assert (children.asked[0][0].seeds, children.asked[0][0].repeats) == (2, 1)
    assert result.measured == (0.5, 0.5)


@pytest.mark.parametrize(
    ("asked", "minutes", "expected"), [(None, 1, 120.0), (None, 5, 300.0), (7.5, 5, 7.5), (600.0, 1, 600.0)]
)
def test_a_probe_may_take_what_its_repro_needs_unless_somebody_says_otherwise(
    tmp_path: Path, asked: float | None, minutes: int, expected: float
) -> None:
    text = f"NEEDS = {{'minutes': {minutes}}}\ndef bug_logic(t): ...\n"
    gotcha, repro = read_gotcha(tmp_path, text)
    runner, children = staged(raised(), timeout=asked)
    (run, *_) = plan(gotcha, repro, machine=None)  # type: ignore[arg-type]
    runner.run(run)
    assert children.asked[0][1] == expected


class TestAPackage:
    def run(self, logic: Run) -> Run:
        return replace(logic, tier=Tier.PACKAGE, package="vllm==0.20.0")

    def test_one_that_is_not_here_is_skipped_with_the_way_to_have_it(
        self, logic: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def missing(spec: str) -> Path:
            raise PackageError(f"{spec} is not here: `gotchas fetch {spec}` unpacks its source files")

        monkeypatch.setattr(module, "find_package", missing)
        runner, children = staged(returned())
        result = runner.run(self.run(logic))
        assert result.outcome is Outcome.SKIPPED
        assert "`gotchas fetch vllm==0.20.0`" in result.reason
        assert children.asked == []

    def test_its_folder_and_version_go_along(self, logic: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "find_package", lambda _: Path("unpacked"))
        runner, children = staged(raised(versions={"python": "3.11.7"}))
        result = runner.run(self.run(logic))
        assert children.asked[0][0].package == "unpacked"
        assert result.versions == {"python": "3.11.7", "vllm": "0.20.0"}
        assert (result.subject, result.package) == (Subject.UPSTREAM, "vllm==0.20.0")

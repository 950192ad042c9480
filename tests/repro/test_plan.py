from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.hardware.machine import Card, Machine, Unknown
from gpu_gotchas.repro.plan import NotRun, Run, plan
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from tests.repro.samples import read_gotcha

GIB = 2**30
NO_CARD = Machine(cards=())
PLAIN = "def bug(target): ...\ndef fixed(target): ...\n"


def cards(*targets: str | None, memory: int = 24 * GIB) -> Machine:
    return Machine(
        cards=tuple(Card(f"card {t}", find_target(t) if t else None, memory=memory) for t in targets)
    )


def names(planned: Sequence[Run | NotRun]) -> list[str]:
    return [run.name for run in planned]


def runs_of(planned: Sequence[Run | NotRun]) -> list[Run]:
    return [run for run in planned if isinstance(run, Run)]


def in_tier(planned: Sequence[Run | NotRun], tier: Tier) -> list[Run | NotRun]:
    return [run for run in planned if run.tier is tier]


def test_compile_runs_bug_and_fixed_on_each_affected_target_then_on_each_control(tmp_path: Path) -> None:
    affects = [{"hardware": {"nvidia": {"compute_capability": [">=8.6,<8.9"]}}}]
    gotcha, repro = read_gotcha(tmp_path, PLAIN, affects=affects)
    planned = in_tier(plan(gotcha, repro, NO_CARD), Tier.COMPILE)
    assert names(planned) == [
        *("bug[compile-sm_86]", "fixed[compile-sm_86]", "bug[compile-sm_87]", "fixed[compile-sm_87]"),
        *("bug[compile-sm_80]", "fixed[compile-sm_80]", "bug[compile-sm_89]", "fixed[compile-sm_89]"),
    ]
    assert [run.role for run in runs_of(planned)] == [Role.AFFECTED] * 4 + [Role.CONTROL] * 4
    assert {run.subject for run in runs_of(planned)} == {Subject.MECHANISM}


def test_names_are_unique(tmp_path: Path) -> None:
    repro_text = PLAIN + "def bug_logic(t): ...\ndef fixed_logic(t): ...\ndef bug_package(t): ...\n"
    gotcha, repro = read_gotcha(
        tmp_path, repro_text, models=[{"package": "vllm", "version": "0.20.0", "function": "f"}]
    )
    planned = names(plan(gotcha, repro, cards("sm_86", "sm_86", "sm_90", None)))
    assert len(planned) == len(set(planned))


def test_a_condition_has_a_control_of_its_own_and_none_on_hardware(tmp_path: Path) -> None:
    text = PLAIN + "def control(target): ...\n"
    gotcha, repro = read_gotcha(tmp_path, text, control="condition")
    planned = runs_of(in_tier(plan(gotcha, repro, NO_CARD), Tier.COMPILE))
    assert {run.role for run in planned} == {Role.AFFECTED}
    assert {run.probe for run in planned} == set(Probe)
    assert "sm_89" not in {run.target_name for run in planned}


def test_logic_runs_on_no_target(tmp_path: Path) -> None:
    gotcha, repro = read_gotcha(tmp_path)
    planned = plan(gotcha, repro, NO_CARD)
    assert names(planned) == ["bug[logic-cpu]", "fixed[logic-cpu]", "control[logic-cpu]"]
    assert all(run.target is None for run in runs_of(planned))


class TestDevice:
    def of(
        self, tmp_path: Path, machine: Machine, text: str = PLAIN, *, by_name: bool = False, **changes: Any
    ):
        gotcha, repro = read_gotcha(tmp_path, text, **changes)
        return in_tier(plan(gotcha, repro, machine, by_name=by_name), Tier.DEVICE)

    def reason(self, planned: list[Run | NotRun]) -> str:
        (only,) = planned
        assert isinstance(only, NotRun)
        return only.because

    def test_an_affected_card_is_affected_and_another_is_a_control(self, tmp_path: Path) -> None:
        planned = runs_of(self.of(tmp_path, cards("sm_86", "sm_90")))
        assert [(run.name, run.role) for run in planned] == [
            ("bug[device-sm_86]", Role.AFFECTED),
            ("fixed[device-sm_86]", Role.AFFECTED),
            ("bug[device-sm_90]", Role.CONTROL),
            ("fixed[device-sm_90]", Role.CONTROL),
        ]

    def test_two_cards_of_one_target_run_once(self, tmp_path: Path) -> None:
        assert len(self.of(tmp_path, cards("sm_86", "sm_86"))) == 2

    def test_elsewhere_runs_on_a_card_outside_and_only_there(self, tmp_path: Path) -> None:
        text = PLAIN + "def bug_elsewhere(target): ...\n"
        outside = self.of(tmp_path, cards("sm_90"), text)
        assert names(outside)[-1] == "bug_elsewhere[device-sm_90]"
        assert runs_of(outside)[-1].role is Role.ELSEWHERE
        inside = self.of(tmp_path, cards("sm_86"), text)
        assert Role.ELSEWHERE not in {run.role for run in runs_of(inside)}

    def test_a_described_machine_never_runs_it(self, tmp_path: Path) -> None:
        described = replace(cards("sm_86"), described=True)
        assert "a description runs nothing" in self.reason(self.of(tmp_path, described, by_name=True))

    def test_without_enough_cards_it_says_how_many(self, tmp_path: Path) -> None:
        text = 'NEEDS = {"gpus": 2}\n' + PLAIN
        assert self.reason(self.of(tmp_path, NO_CARD, text)) == "needs 2 GPU, this machine has 0"
        assert self.reason(self.of(tmp_path, cards("sm_86"), text)) == "needs 2 GPU, this machine has 1"
        assert runs_of(self.of(tmp_path, cards("sm_86", "sm_86"), text))

    def test_without_enough_memory_it_says_how_much(self, tmp_path: Path) -> None:
        text = 'NEEDS = {"memory_gib": 40}\n' + PLAIN
        said = self.reason(self.of(tmp_path, cards("sm_86"), text))
        assert said == "needs 40 GiB on a card, the largest here has 24.0"

    def test_what_can_wedge_a_card_runs_only_by_name(self, tmp_path: Path) -> None:
        text = 'NEEDS = {"can_wedge": True}\n' + PLAIN
        assert "ask for it with --gotcha ID" in self.reason(self.of(tmp_path, cards("sm_86"), text))
        assert runs_of(self.of(tmp_path, cards("sm_86"), text, by_name=True))

    def test_a_card_of_no_known_target_is_named(self, tmp_path: Path) -> None:
        assert "card None" in self.reason(self.of(tmp_path, cards(None)))

    def test_cards_that_could_not_be_found_out_say_why(self, tmp_path: Path) -> None:
        blind = Machine(cards=None, unknown=(Unknown("NVIDIA GPUs", "nvidia-smi hangs"),))
        assert "nvidia-smi hangs" in self.reason(self.of(tmp_path, blind))
        assert self.reason(self.of(tmp_path, Machine()))

    def test_outside_the_hardware_of_a_condition_nothing_runs(self, tmp_path: Path) -> None:
        text = PLAIN + "def control(target): ...\n"
        planned = self.of(tmp_path, cards("sm_90", "sm_120"), text, control="condition")
        assert self.reason(planned) == "sm_90 and sm_120 outside the claimed hardware"


class TestPackage:
    text = "def bug_package(target): ...\ndef fixed_package(target): ...\n"

    def of(self, tmp_path: Path, package: str | None = None, **changes: Any) -> list[Run | NotRun]:
        gotcha, repro = read_gotcha(tmp_path, self.text, **changes)
        return plan(gotcha, repro, NO_CARD, package=package)

    def test_without_a_release_it_says_so(self, tmp_path: Path) -> None:
        (only,) = self.of(tmp_path)
        assert isinstance(only, NotRun)
        assert only.because == "the record names no release of a package"

    @pytest.mark.parametrize(
        ("asked", "ranges", "models", "expected"),
        [
            (None, {"vllm": {"last_bad": "0.33.0"}}, [], "vllm==0.33.0"),
            (
                None,
                {"torch": "any"},
                [{"package": "vllm", "version": "0.20.0", "function": "f"}],
                "vllm==0.20.0",
            ),
            ("vllm==0.1.0", {"vllm": {"last_bad": "0.33.0"}}, [], "vllm==0.1.0"),
        ],
    )
    def test_which_release_is_asked(
        self, tmp_path: Path, asked: str | None, ranges: Any, models: Any, expected: str
    ) -> None:
        affects = [{"hardware": {"nvidia": {"compute_capability": ["==8.6"]}}, "software": ranges}]
        planned = runs_of(self.of(tmp_path, asked, affects=affects, models=models))
        assert {run.package for run in planned} == {expected}
        assert {run.subject for run in planned} == {Subject.UPSTREAM}
        assert [run.target_name for run in planned] == ["sm_86", "sm_86", *["sm_80"] * 2, *["sm_87"] * 2]

    def test_without_a_claim_about_hardware_it_is_asked_once(self, tmp_path: Path) -> None:
        affects = [{"hardware": "any", "software": {"vllm": {"last_bad": "0.33.0"}}}]
        planned = runs_of(self.of(tmp_path, affects=affects, control="condition"))
        assert [run.name for run in planned] == ["bug[package-cpu]", "fixed[package-cpu]"]

    def test_another_release_as_the_control_is_asked_of_the_same_targets(self, tmp_path: Path) -> None:
        hardware = {"nvidia": {"compute_capability": ["<8.9"]}}
        span = {"introduced": "0.20.0", "fixed": "0.26.0"}
        affects = [{"hardware": hardware, "software": {"vllm": span}}]
        models = [{"package": "vllm", "version": "0.25.1", "function": "f"}]
        planned = self.of(tmp_path, affects=affects, control="version", models=models)
        asked = [(run.package, run.role, run.target_name) for run in runs_of(planned)]
        affected = [target for package, _, target in asked if package == "vllm==0.25.1"]
        assert affected
        assert set(asked) == {
            *(("vllm==0.25.1", Role.AFFECTED, target) for target in affected),
            *(("vllm==0.26.0", Role.CONTROL, target) for target in affected),
        }
        assert len(set(names(planned))) == len(planned)
        by_hand = self.of(tmp_path, "vllm==0.19.1", affects=affects, control="version", models=models)
        assert {run.role for run in runs_of(by_hand)} == {Role.CONTROL}

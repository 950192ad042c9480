from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpu_gotchas.records.model import Gotcha, Status
from gpu_gotchas.repro.fingerprint import fingerprint
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from gpu_gotchas.repro.proof import check_proofs, kept_results, prove
from gpu_gotchas.repro.results import KEPT, Result
from gpu_gotchas.repro.source import Repro
from tests.repro.samples import LOGIC_REPRO, a_result, read_gotcha

PLAIN = "def bug(target): ...\ndef fixed(target): ...\n"
NARROW = [{"hardware": {"nvidia": {"compute_capability": [">=8.6,<8.9"]}}}]


def compiled(target: str, probe: Probe, role: Role, outcome: Outcome, **parts: Any) -> Result:
    return a_result(tier=Tier.COMPILE, target=target, probe=probe, role=role, outcome=outcome, **parts)


def whole() -> list[Result]:
    """Everything that a record about 8.6 and 8.7 needs, with 8.0 and 8.9 as its controls."""
    inside = [
        compiled(target, probe, Role.AFFECTED, outcome)
        for target in ("sm_86", "sm_87")
        for probe, outcome in ((Probe.BUG, Outcome.REPRODUCED), (Probe.FIXED, Outcome.FIX_CONFIRMED))
    ]
    outside = [
        compiled(target, probe, Role.CONTROL, outcome)
        for target in ("sm_80", "sm_89")
        for probe, outcome in ((Probe.BUG, Outcome.CONTROL_CLEAN), (Probe.FIXED, Outcome.FIX_CONFIRMED))
    ]
    return inside + outside


def signed(gotcha: Gotcha, repro: Repro, results: list[Result]) -> list[Result]:
    return [replace(result, proves=fingerprint(gotcha, repro)) for result in results]


@pytest.fixture
def narrow(tmp_path: Path) -> tuple[Gotcha, Repro]:
    return read_gotcha(tmp_path, PLAIN, affects=NARROW)


def proof_of(record: tuple[Gotcha, Repro], results: list[Result]):
    return prove(*record, signed(*record, results))


def test_all_of_it_is_a_proof(narrow: tuple[Gotcha, Repro]) -> None:
    assert proof_of(narrow, whole()).status is Status.VERIFIED


def test_nothing_is_none(narrow: tuple[Gotcha, Repro]) -> None:
    proof = proof_of(narrow, [])
    assert proof.status is Status.DRAFT
    assert "bug is not shown on sm_86 (compile)" in proof.missing_bug
    assert "no control is shown clean (compile)" in proof.missing_bug


@pytest.mark.parametrize(
    ("target", "probe", "status", "missing"),
    [
        ("sm_86", Probe.BUG, Status.DRAFT, "bug is not shown on sm_86 (compile)"),
        ("sm_87", Probe.BUG, Status.DRAFT, "bug is not shown on sm_87 (compile)"),
        ("sm_86", Probe.FIXED, Status.REPRODUCED, "fixed is not shown on sm_86 (compile)"),
        ("sm_80", Probe.FIXED, Status.REPRODUCED, "fixed is not shown on the control sm_80 (compile)"),
    ],
)
def test_each_part_is_needed(
    narrow: tuple[Gotcha, Repro], target: str, probe: Probe, status: Status, missing: str
) -> None:
    results = [result for result in whole() if (result.target, result.probe) != (target, probe)]
    proof = proof_of(narrow, results)
    assert proof.status is status
    assert missing in (*proof.missing_bug, *proof.missing_fix)


def test_one_clean_control_is_enough_and_none_is_not(narrow: tuple[Gotcha, Repro]) -> None:
    one = [result for result in whole() if result.target != "sm_80"]
    assert proof_of(narrow, one).status is Status.VERIFIED
    none = [result for result in one if result.target != "sm_89"]
    assert proof_of(narrow, none).missing_bug == ("no control is shown clean (compile)",)


@pytest.mark.parametrize(
    ("bug", "fixed", "by", "status"),
    [
        (Outcome.MASKED, Outcome.MASKED, "other-record", Status.VERIFIED),
        (Outcome.MASKED, Outcome.MASKED, None, Status.DRAFT),
        (Outcome.WRONG_SYMPTOM, Outcome.FIX_FAILED, None, Status.DRAFT),
    ],
)
def test_a_control_that_fails_must_be_explained(
    narrow: tuple[Gotcha, Repro], bug: Outcome, fixed: Outcome, by: str | None, status: Status
) -> None:
    failing = [
        compiled("sm_80", Probe.BUG, Role.CONTROL, bug, masked_by=by),
        compiled("sm_80", Probe.FIXED, Role.CONTROL, fixed, masked_by=by),
    ]
    results = [result for result in whole() if result.target != "sm_80"] + failing
    proof = proof_of(narrow, results)
    assert proof.status is status
    assert proof.contradictions == ()
    assert any("no record explains it" in missing for missing in proof.missing_bug) == (by is None)


def test_a_fix_that_fails_on_a_clean_control_contradicts(narrow: tuple[Gotcha, Repro]) -> None:
    failing = compiled("sm_80", Probe.FIXED, Role.CONTROL, Outcome.FIX_FAILED, versions={"triton": "9.9"})
    assert proof_of(narrow, [*whole(), failing]).status is Status.CONTESTED


def test_so_must_one_on_a_condition(tmp_path: Path) -> None:
    record = read_gotcha(tmp_path, control="condition")
    failing = logic((Probe.CONTROL, Outcome.WRONG_SYMPTOM))
    proof = proof_of(record, [*ALL_LOGIC, *failing])
    assert (proof.status, proof.contradictions) == (Status.DRAFT, ())


def test_results_about_an_older_form_prove_nothing(narrow: tuple[Gotcha, Repro]) -> None:
    proof = prove(*narrow, whole())
    assert proof.status is Status.DRAFT
    assert proof.stale == len(whole())


@pytest.mark.parametrize(
    ("probe", "role", "outcome"),
    [
        (Probe.BUG, Role.AFFECTED, Outcome.NOT_REPRODUCED),
        (Probe.BUG, Role.AFFECTED, Outcome.WRONG_SYMPTOM),
        (Probe.BUG, Role.CONTROL, Outcome.CONTROL_DIRTY),
        (Probe.FIXED, Role.AFFECTED, Outcome.FIX_FAILED),
        (Probe.FIXED, Role.CONTROL, Outcome.OVERBLOCKED),
    ],
)
def test_a_contradiction_makes_it_contested(
    narrow: tuple[Gotcha, Repro], probe: Probe, role: Role, outcome: Outcome
) -> None:
    other = compiled("sm_86", probe, role, outcome, versions={"triton": "9.9"})
    proof = proof_of(narrow, [*whole(), other])
    assert proof.status is Status.CONTESTED
    assert proof.contradictions == (f"{probe.value} on sm_86 (compile) came out {outcome.value}",)


@pytest.mark.parametrize(
    "outcome", [Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.INCONCLUSIVE, Outcome.FIXED_HERE]
)
def test_what_says_nothing_contradicts_nothing(narrow: tuple[Gotcha, Repro], outcome: Outcome) -> None:
    other = compiled("sm_86", Probe.BUG, Role.AFFECTED, outcome, versions={"triton": "9.9"})
    assert proof_of(narrow, [*whole(), other]).status is Status.VERIFIED


def test_a_guard_is_proven_by_refusing(narrow: tuple[Gotcha, Repro]) -> None:
    inside = (Probe.FIXED, Role.AFFECTED)
    results = [
        replace(result, outcome=Outcome.GUARDED) if (result.probe, result.role) == inside else result
        for result in whole()
    ]
    assert proof_of(narrow, results).status is Status.VERIFIED


def test_a_measured_range_needs_runs_of_the_releases_at_its_ends(tmp_path: Path) -> None:
    measured = {"introduced": "0.20.0", "fixed": "0.26.0", "measured": True}
    affects = [{**NARROW[0], "software": {"vllm": measured}}]
    record = read_gotcha(tmp_path, PLAIN + "def bug_package(t): ...\n", affects=affects)

    def asked(version: str, outcome: Outcome) -> Result:
        return a_result(
            tier=Tier.PACKAGE,
            target="sm_86",
            subject=Subject.UPSTREAM,
            package=f"vllm=={version}",
            outcome=outcome,
        )

    first, good = asked("0.20.0", Outcome.REPRODUCED), asked("0.26.0", Outcome.FIXED_HERE)
    elsewhere = asked("99.0.0", Outcome.REPRODUCED)
    assert "vllm 0.20.0 is not shown to fail" in proof_of(record, [*whole(), elsewhere, good]).missing_bug[0]
    assert "vllm 0.26.0 is not shown to be good" in proof_of(record, [*whole(), first]).missing_bug[0]
    assert proof_of(record, [*whole(), first, good]).status is Status.VERIFIED


def test_a_measured_range_of_triton_is_borne_out_by_runs_with_that_triton(tmp_path: Path) -> None:
    affects = [{**NARROW[0], "software": {"triton": {"fixed": "3.8.0", "measured": True}}}]
    record = read_gotcha(tmp_path, PLAIN, affects=affects)
    fixed = compiled("sm_86", Probe.BUG, Role.AFFECTED, Outcome.FIXED_HERE, versions={"triton": "3.8.0"})
    assert proof_of(record, whole()).missing_bug == (
        "triton 3.8.0 is not shown to be good, and the range says that it was measured",
    )
    assert proof_of(record, [*whole(), fixed]).status is Status.VERIFIED


def test_a_release_that_fails_outside_the_ranges_makes_it_contested(tmp_path: Path) -> None:
    affects = [{**NARROW[0], "software": {"vllm": [{"fixed": "0.20.0"}, {"introduced": "0.28.0"}]}}]
    record = read_gotcha(tmp_path, PLAIN + "def bug_package(t): ...\n", affects=affects)

    def failed(version: str) -> Result:
        return a_result(
            tier=Tier.PACKAGE, target="sm_86", subject=Subject.UPSTREAM, package=f"vllm=={version}"
        )

    assert proof_of(record, [*whole(), failed("0.19.0"), failed("0.28.1")]).contradictions == ()
    proof = proof_of(record, [*whole(), failed("0.21.0")])
    assert proof.contradictions == ("vllm 0.21.0 fails, and lies outside the claimed ranges",)
    assert proof.status is Status.CONTESTED


def test_another_release_as_the_control_must_be_run(tmp_path: Path) -> None:
    span = {"introduced": "0.20.0", "fixed": "0.26.0", "measured": True}
    affects = [{"hardware": "any", "software": {"vllm": span}}]
    text = "def bug_logic(t): ...\ndef fixed_logic(t): ...\n"
    record = read_gotcha(tmp_path, text + "def bug_package(t): ...\n", affects=affects, control="version")

    def asked(version: str, role: Role, outcome: Outcome) -> Result:
        return a_result(
            tier=Tier.PACKAGE,
            subject=Subject.UPSTREAM,
            package=f"vllm=={version}",
            role=role,
            outcome=outcome,
        )

    bad = asked("0.20.0", Role.AFFECTED, Outcome.REPRODUCED)
    good = asked("0.26.0", Role.CONTROL, Outcome.CONTROL_CLEAN)
    modelled = ALL_LOGIC[:2]
    assert proof_of(record, [*modelled, bad, good]).status is Status.VERIFIED
    assert "no control is shown clean (package)" in proof_of(record, [*modelled, bad]).missing_bug
    dirty = asked("0.26.0", Role.CONTROL, Outcome.CONTROL_DIRTY)
    assert proof_of(record, [*modelled, bad, dirty]).status is Status.CONTESTED
    alone = read_gotcha(tmp_path / "alone", text, affects=affects, control="version")
    assert (
        proof_of(alone, modelled).missing_bug[0].startswith("the control is another release, and the repro")
    )


def logic(*outcomes: tuple[Probe, Outcome]) -> list[Result]:
    return [a_result(probe=probe, outcome=outcome) for probe, outcome in outcomes]


ALL_LOGIC = logic(
    (Probe.BUG, Outcome.REPRODUCED),
    (Probe.FIXED, Outcome.FIX_CONFIRMED),
    (Probe.CONTROL, Outcome.CONTROL_CLEAN),
)


def test_logic_is_proven_on_no_target(tmp_path: Path) -> None:
    record = read_gotcha(tmp_path, control="condition")
    assert proof_of(record, ALL_LOGIC).status is Status.VERIFIED
    assert proof_of(record, ALL_LOGIC[:2]).missing_bug == ("no control is shown clean (logic)",)


def test_a_card_is_needed_only_where_nothing_else_shows_it(tmp_path: Path) -> None:
    both = read_gotcha(tmp_path / "both", LOGIC_REPRO + "\ndef bug_device(t): ...\n", control="condition")
    assert proof_of(both, ALL_LOGIC).status is Status.VERIFIED
    text = "".join(f"def {probe.value}_device(t): ...\n" for probe in Probe)
    alone = read_gotcha(tmp_path / "alone", text, control="condition")
    assert "bug is not shown on any card" in proof_of(alone, []).missing_bug
    on_card = [replace(result, tier=Tier.DEVICE, target="sm_86", device="a card") for result in ALL_LOGIC]
    assert proof_of(alone, on_card).status is Status.VERIFIED


def test_a_package_alone_must_be_asked(tmp_path: Path) -> None:
    text = "".join(f"def {probe.value}_package(t): ...\n" for probe in Probe)
    affects = [{"hardware": "any", "software": {"vllm": {"last_bad": "0.33.0"}}}]
    record = read_gotcha(tmp_path, text, affects=affects, control="condition")
    assert proof_of(record, []).status is Status.DRAFT
    asked = [replace(result, tier=Tier.PACKAGE, subject=Subject.UPSTREAM) for result in ALL_LOGIC]
    assert proof_of(record, asked).status is Status.VERIFIED


def test_a_repro_that_shows_nothing_proves_nothing(tmp_path: Path) -> None:
    record = read_gotcha(tmp_path, "def fixed(target): ...\n")
    assert proof_of(record, whole()).missing_bug == ("the repro defines no bug",)


def keep(record: tuple[Gotcha, Repro], results: list[Result]) -> None:
    lines = "".join(f"{result.to_json()}\n" for result in signed(*record, results))
    (record[0].path / KEPT).write_text(lines)


class TestCheck:
    def of(self, tmp_path: Path, status: str, results: list[Result], **changes: Any) -> list[str]:
        record = read_gotcha(tmp_path, PLAIN, affects=NARROW, status=status, **changes)
        keep(record, results)
        return [str(problem) for problem in check_proofs([record[0]])]

    def test_a_verified_record_with_its_proof_is_fine(self, tmp_path: Path) -> None:
        assert self.of(tmp_path, "verified", whole()) == []

    def test_one_without_is_not_and_says_what_to_do(self, tmp_path: Path) -> None:
        (problem,) = self.of(tmp_path, "verified", whole()[1:])
        assert "gotcha.yaml: status is verified, and that is not proven: bug is not shown on sm_86" in problem
        assert "gotchas run made-up --report FILE" in problem

    def test_editing_the_repro_makes_the_proof_stale(self, tmp_path: Path) -> None:
        record = read_gotcha(tmp_path, PLAIN, affects=NARROW, status="verified")
        keep(record, whole())
        assert check_proofs([record[0]]) == []
        record[1].path.write_text(PLAIN + "# edited\n")
        (problem,) = check_proofs([record[0]])
        assert "8 kept results speak of an older form" in problem.message

    def test_a_draft_claims_nothing(self, tmp_path: Path) -> None:
        assert self.of(tmp_path, "draft", []) == []

    def test_a_reproduced_record_needs_no_fix(self, tmp_path: Path) -> None:
        results = [result for result in whole() if result.probe is Probe.BUG]
        assert self.of(tmp_path, "reproduced", results) == []

    def test_a_contradiction_is_told_whatever_the_status(self, tmp_path: Path) -> None:
        other = compiled("sm_86", Probe.BUG, Role.AFFECTED, Outcome.NOT_REPRODUCED)
        (problem,) = self.of(tmp_path, "draft", [other])
        assert "contested: bug on sm_86 (compile) came out not-reproduced" in problem

    def test_a_contested_record_may_be_contradicted(self, tmp_path: Path) -> None:
        other = compiled("sm_86", Probe.BUG, Role.AFFECTED, Outcome.NOT_REPRODUCED)
        assert self.of(tmp_path, "contested", [other]) == []

    def test_a_broken_file_of_results_is_a_problem_with_its_place(self, tmp_path: Path) -> None:
        record = read_gotcha(tmp_path, PLAIN, affects=NARROW, status="verified")
        path = record[0].path / KEPT
        path.write_text("{}\n")
        (problem,) = check_proofs([record[0]])
        assert (problem.path, problem.line) == (path, 1)

    def test_a_broken_repro_is_a_problem_with_its_place(self, tmp_path: Path) -> None:
        gotcha, repro = read_gotcha(tmp_path, PLAIN)
        repro.path.write_text("\ndef bug(:\n")
        (problem,) = check_proofs([gotcha])
        assert (problem.path, problem.line) == (repro.path, 2)

    def test_so_is_a_broken_module_beside_it(self, tmp_path: Path) -> None:
        gotcha, _ = read_gotcha(tmp_path, "import helper\n" + PLAIN)
        (gotcha.path / "helper.py").write_text("\ndef bug(:\n")
        (problem,) = check_proofs([gotcha])
        assert (problem.path, problem.line) == (gotcha.path / "helper.py", 2)


def test_no_file_is_no_results(narrow: tuple[Gotcha, Repro]) -> None:
    assert kept_results(narrow[0]) == []

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.judge import Knowledge, Verdict, judge
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.plan import Run
from gpu_gotchas.repro.probe import Probe, Role, Tier
from gpu_gotchas.repro.request import Answer, Observation
from tests.repro.samples import FAILURE, OBSERVABLE, a_run, knows, raised, read_gotcha, returned

BUG, FIXED, CONTROL = Probe
AFFECTED, ON_CONTROL, ELSEWHERE = Role
OTHER = "RuntimeError: something else"


def fix(kind: str) -> list[dict[str, str]]:
    return [{"use": "gpu_gotchas.fixes.refused", "type": kind, "costs": "Nothing.", "risk": "low"}]


RECORDS: dict[str, dict[str, Any]] = {
    "text": {},
    "guard": {"fixes": fix("guard")},
    "planner": {"fixes": fix("planner")},
    "siblings": {"siblings": [{"id": "brother", "tell_apart": "The hat."}]},
    "observable": {"symptom": {"summary": "Wrong.", "observable": OBSERVABLE}},
    "signal": {"symptom": {"summary": "Dies.", "exit": "signal"}},
    "hang": {"symptom": {"summary": "Hangs.", "exit": "hang"}},
    "fault": {"symptom": {"summary": "Faults.", "exit": "device-fault"}},
    "triton": {"affects": [{"hardware": {"nvidia": "any"}, "software": {"triton": {"fixed": "3.7.0"}}}]},
    "any-triton": {"affects": [{"hardware": {"nvidia": "any"}, "software": {"triton": "any"}}]},
    "two-cases": {
        "affects": [
            {
                "hardware": {"nvidia": {"compute_capability": ["<8.9"]}},
                "software": {"triton": {"fixed": "3.7.0"}},
            },
            {"hardware": {"nvidia": "any"}, "software": {"triton": {"introduced": "3.8.0"}}},
        ]
    },
    "models": {
        "affects": [{"hardware": {"nvidia": "any"}, "software": {"vllm": {"fixed": "0.20.0"}}}],
        "models": [{"package": "vllm", "version": "0.19.0", "function": "f"}],
    },
}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Gotcha]:
    base = tmp_path_factory.mktemp("records")
    return {name: read_gotcha(base / name, **changes)[0] for name, changes in RECORDS.items()}


def printed(exception: str) -> Observation:
    """A child that printed the signature, and raised something else."""
    answer = Answer("raised", exception=exception, output=exception)
    return Observation(answer, exit=0, seconds=0.1, streams=FAILURE, limit=120.0)


def died(exit: int, streams: str = "", **parts: Any) -> Observation:
    return Observation(None, exit=exit, seconds=0.1, streams=streams, limit=120.0, **parts)


def refused(**parts: Any) -> Observation:
    return raised("Refused: fp8 does not work on sm_86: use bf16", refused=True, **parts)


def measured(*numbers: float) -> Observation:
    return returned(measured=numbers)


def on_triton(version: str, **parts: Any) -> Observation:
    return returned(versions={"triton": version}, **parts)


KNOWN = knows("made-up")
EXPLAINED = knows("made-up", "made-up", "other-record")

# (record, probe, role, what was seen, what the base knows, outcome, words of the reason)
TABLE: list[tuple[str, Probe, Role, Observation, Knowledge, Outcome, str]] = [
    ("text", BUG, AFFECTED, raised(), KNOWN, Outcome.REPRODUCED, FAILURE),
    ("text", BUG, AFFECTED, died(0, FAILURE), KNOWN, Outcome.CRASHED, "no answer"),
    ("text", BUG, AFFECTED, died(-6, f"{FAILURE}\nAborted"), KNOWN, Outcome.CRASHED, "SIGABRT: Aborted"),
    ("text", BUG, AFFECTED, raised(), knows("other"), Outcome.WRONG_SYMPTOM, "searched, returns other first"),
    ("text", BUG, AFFECTED, raised(), knows(None), Outcome.WRONG_SYMPTOM, "searched, returns nothing"),
    ("siblings", BUG, AFFECTED, raised(), knows("brother"), Outcome.REPRODUCED, FAILURE),
    ("text", BUG, AFFECTED, raised(OTHER), KNOWN, Outcome.WRONG_SYMPTOM, OTHER),
    ("text", BUG, AFFECTED, returned(), KNOWN, Outcome.NOT_REPRODUCED, "returned"),
    ("text", BUG, AFFECTED, Observation(Answer("returned"), 0, 0.1, streams=FAILURE), KNOWN,
     Outcome.NOT_REPRODUCED, "returned"),
    ("text", BUG, AFFECTED, printed("KeyError: 'x'"), KNOWN, Outcome.WRONG_SYMPTOM, "KeyError"),
    ("text", BUG, AFFECTED, printed("RuntimeError: PassManager::run failed"), KNOWN,
     Outcome.REPRODUCED, "w7"),
    ("triton", BUG, AFFECTED, on_triton("3.7.0"), KNOWN, Outcome.FIXED_HERE, "outside the claimed"),
    ("triton", BUG, AFFECTED, on_triton("3.6.0"), KNOWN, Outcome.NOT_REPRODUCED, "returned"),
    ("triton", BUG, AFFECTED, returned(), KNOWN, Outcome.NOT_REPRODUCED, "returned"),
    ("any-triton", BUG, AFFECTED, on_triton("3.7.0"), KNOWN, Outcome.NOT_REPRODUCED, "returned"),
    ("two-cases", BUG, AFFECTED, on_triton("3.8.0"), KNOWN, Outcome.NOT_REPRODUCED, "returned"),
    ("two-cases", BUG, AFFECTED, on_triton("3.7.0"), KNOWN, Outcome.FIXED_HERE, "outside the claimed"),
    ("models", BUG, AFFECTED, returned(versions={"vllm": "0.30.0"}), KNOWN,
     Outcome.NOT_REPRODUCED, "returned"),
    ("text", FIXED, AFFECTED, returned(), KNOWN, Outcome.FIX_CONFIRMED, "returned"),
    ("text", FIXED, AFFECTED, raised(), KNOWN, Outcome.FIX_FAILED, FAILURE),
    ("text", FIXED, AFFECTED, raised(OTHER), EXPLAINED, Outcome.FIX_FAILED, OTHER),
    ("text", FIXED, AFFECTED, refused(), KNOWN, Outcome.FIX_FAILED, "Refused"),
    ("guard", FIXED, AFFECTED, refused(), KNOWN, Outcome.GUARDED, "use bf16"),
    ("guard", FIXED, AFFECTED, returned(), KNOWN, Outcome.FIX_FAILED, "let through"),
    ("guard", FIXED, ON_CONTROL, returned(), KNOWN, Outcome.FIX_CONFIRMED, "returned"),
    ("guard", FIXED, ON_CONTROL, refused(), KNOWN, Outcome.OVERBLOCKED, "use bf16"),
    ("text", FIXED, ON_CONTROL, returned(), KNOWN, Outcome.FIX_CONFIRMED, "returned"),
    ("text", FIXED, ON_CONTROL, raised(OTHER), KNOWN, Outcome.FIX_FAILED, OTHER),
    ("text", FIXED, ON_CONTROL, raised(OTHER), EXPLAINED, Outcome.MASKED, "other-record strikes first"),
    ("text", BUG, ON_CONTROL, returned(), KNOWN, Outcome.CONTROL_CLEAN, "returned"),
    ("text", BUG, ON_CONTROL, raised(), KNOWN, Outcome.CONTROL_DIRTY, FAILURE),
    ("text", BUG, ON_CONTROL, raised(OTHER), EXPLAINED, Outcome.MASKED, "other-record strikes first"),
    ("text", BUG, ON_CONTROL, raised(OTHER), KNOWN, Outcome.WRONG_SYMPTOM,
     f"fails here too, and no record explains it: {OTHER}\nThe claimed range may be too narrow"),
    ("text", CONTROL, AFFECTED, raised(OTHER), KNOWN, Outcome.WRONG_SYMPTOM, "no record explains it"),
    ("text", CONTROL, AFFECTED, returned(), KNOWN, Outcome.CONTROL_CLEAN, "returned"),
    ("text", CONTROL, AFFECTED, raised(), KNOWN, Outcome.CONTROL_DIRTY, FAILURE),
    ("text", BUG, ELSEWHERE, raised(), KNOWN, Outcome.ELSEWHERE, FAILURE),
    ("text", BUG, ELSEWHERE, returned(), KNOWN, Outcome.ELSEWHERE, "did not appear"),
    ("observable", BUG, AFFECTED, measured(0.3, 0.9), KNOWN, Outcome.REPRODUCED, "0.3 to 0.9 share"),
    ("observable", BUG, AFFECTED, measured(0.1, 0.9), KNOWN, Outcome.INCONCLUSIVE, "0.1, 0.9"),
    ("observable", BUG, AFFECTED, measured(0, 0), KNOWN, Outcome.NOT_REPRODUCED, "0, 0"),
    ("observable", BUG, AFFECTED, raised(OTHER), KNOWN, Outcome.WRONG_SYMPTOM, OTHER),
    ("observable", FIXED, AFFECTED, measured(0, 0.01), KNOWN, Outcome.FIX_CONFIRMED, "0.01"),
    ("observable", FIXED, AFFECTED, measured(0, 0.1), KNOWN, Outcome.INCONCLUSIVE, "0.1"),
    ("observable", FIXED, AFFECTED, measured(0.4, 0.4), KNOWN, Outcome.FIX_FAILED, "0.4"),
    ("observable", CONTROL, AFFECTED, measured(0, 0), KNOWN, Outcome.CONTROL_CLEAN, "0, 0"),
    ("observable", CONTROL, AFFECTED, measured(0, 0.2), KNOWN, Outcome.INCONCLUSIVE, "0.2"),
    ("observable", CONTROL, AFFECTED, measured(0.5, 0.5), KNOWN, Outcome.CONTROL_DIRTY, "0.5"),
    ("observable", BUG, AFFECTED, measured(float("nan"), 1), KNOWN, Outcome.CRASHED, "finite"),
    ("observable", BUG, AFFECTED, measured(float("inf"), 1), KNOWN, Outcome.CRASHED, "finite"),
    ("signal", BUG, AFFECTED, died(-11), KNOWN, Outcome.REPRODUCED, "SIGSEGV"),
    ("signal", BUG, AFFECTED, died(1, "Bye."), KNOWN, Outcome.CRASHED, "exit code 1 and no answer: Bye."),
    ("signal", BUG, AFFECTED, died(1, lost="the nursery is gone"), KNOWN, Outcome.CRASHED, "nursery is gone"),
    ("signal", FIXED, AFFECTED, died(-11), KNOWN, Outcome.FIX_FAILED, "SIGSEGV"),
    ("signal", BUG, AFFECTED, died(-9, timed_out=True), KNOWN, Outcome.TIMED_OUT,
     "no answer within 120 s (--gotcha-timeout)"),
    ("signal", BUG, AFFECTED, died(-9, flooded=True), KNOWN, Outcome.CRASHED, "printed more"),
    ("hang", BUG, AFFECTED, died(-9, timed_out=True), KNOWN, Outcome.REPRODUCED, "no answer within"),
    ("hang", FIXED, AFFECTED, died(-9, timed_out=True), KNOWN, Outcome.FIX_FAILED, "no answer within"),
    ("hang", BUG, AFFECTED, returned(), KNOWN, Outcome.NOT_REPRODUCED, "returned"),
    ("fault", BUG, AFFECTED, raised("CUDA error: an illegal memory access was encountered"), KNOWN,
     Outcome.REPRODUCED, "illegal memory access"),
    ("fault", BUG, AFFECTED, raised("CUDA error: no kernel image is available"), KNOWN,
     Outcome.WRONG_SYMPTOM, "no kernel image"),
    ("text", BUG, AFFECTED, died(-6, "Oh\nAborted"), KNOWN, Outcome.CRASHED, "SIGABRT: Aborted"),
    ("text", BUG, AFFECTED, died(0), KNOWN, Outcome.CRASHED, "no answer: it printed nothing"),
    ("text", BUG, AFFECTED, died(-9, "step 3\n\n", timed_out=True), KNOWN, Outcome.TIMED_OUT,
     "(--gotcha-timeout); its last words: step 3"),
    ("text", BUG, AFFECTED, died(-9, FAILURE, timed_out=True), KNOWN, Outcome.TIMED_OUT, "w7"),
    ("text", BUG, AFFECTED, Observation(Answer("unloadable", exception="ImportError: no x"), 0, 0.1), KNOWN,
     Outcome.CRASHED, "cannot be loaded: ImportError: no x"),
    ("text", BUG, AFFECTED, Observation(Answer("unloadable", exception=FAILURE), 0, 0.1), KNOWN,
     Outcome.CRASHED, "cannot be loaded"),
    ("text", BUG, AFFECTED, Observation(Answer("unloadable", missing="torch"), 0, 0.1), KNOWN,
     Outcome.SKIPPED, "needs torch, which is not installed here"),
    ("text", FIXED, ON_CONTROL, raised("ModuleNotFoundError: No module named 'numpy'", missing="numpy"),
     KNOWN, Outcome.SKIPPED, "needs numpy, which is not installed here"),
    ("text", BUG, AFFECTED, raised(missing="widgets"), KNOWN, Outcome.REPRODUCED, FAILURE),
]  # fmt: skip


@pytest.mark.parametrize(("record", "probe", "role", "seen", "known", "outcome", "words"), TABLE)
def test_what_was_seen_comes_out_as(
    records: dict[str, Gotcha],
    record: str,
    probe: Probe,
    role: Role,
    seen: Observation,
    known: Knowledge,
    outcome: Outcome,
    words: str,
) -> None:
    verdict = judge(a_run(records[record], probe, role), seen, known)
    assert verdict.outcome is outcome
    assert words in verdict.reason
    assert (verdict.masked_by == "other-record") == ("strikes first" in words)


def test_of_several_that_mask_it_the_one_it_knows_as_a_sibling_is_named(records: dict[str, Gotcha]) -> None:
    both = Knowledge(first=lambda text: None, others=lambda text: ("aardvark", "brother"))
    on_control = a_run(records["siblings"], BUG, ON_CONTROL)
    assert judge(on_control, raised(OTHER), both).masked_by == "brother"
    stranger = a_run(records["text"], BUG, ON_CONTROL)
    assert judge(stranger, raised(OTHER), both).masked_by == "aardvark"


def test_every_outcome_of_a_run_is_reached() -> None:
    reached = {row[5] for row in TABLE}
    assert reached == set(Outcome)


class TestALaunchMustHappen:
    def seen(
        self, records: dict[str, Gotcha], record: str, probe: Probe, seen: Observation, **run: Any
    ) -> Verdict:
        planned: Run = a_run(records[record], probe, **{"tier": Tier.COMPILE, "target": "sm_86", **run})
        return judge(planned, seen, KNOWN)

    @pytest.mark.parametrize("probe", [BUG, FIXED, CONTROL])
    def test_a_compile_probe_that_launches_nothing_has_crashed(
        self, records: dict[str, Gotcha], probe: Probe
    ) -> None:
        assert self.seen(records, "text", probe, returned(7)) == Verdict(Outcome.CRASHED, "launched nothing")

    def test_one_that_launches_has_not(self, records: dict[str, Gotcha]) -> None:
        verdict = self.seen(records, "text", FIXED, returned(launches=2))
        assert verdict == Verdict(Outcome.FIX_CONFIRMED, "compiles and fits, 2 launches")

    def test_what_raises_on_its_way_there_need_not_come_so_far(self, records: dict[str, Gotcha]) -> None:
        assert self.seen(records, "text", BUG, raised()).outcome is Outcome.REPRODUCED

    @pytest.mark.parametrize("record", ["planner", "guard"])
    def test_what_decides_beforehand_must_return_its_decision(
        self, records: dict[str, Gotcha], record: str
    ) -> None:
        control = {"role": ON_CONTROL}
        assert self.seen(records, record, FIXED, returned(7), **control).outcome is Outcome.FIX_CONFIRMED
        assert self.seen(records, record, FIXED, returned(), **control).reason == "launched nothing"
        assert self.seen(records, record, BUG, returned(7), **control).reason == "launched nothing"

    def test_a_card_is_not_watched(self, records: dict[str, Gotcha]) -> None:
        verdict = self.seen(records, "text", FIXED, returned(), tier=Tier.DEVICE)
        assert verdict.outcome is Outcome.FIX_CONFIRMED

    def test_a_package_that_is_asked_about_no_hardware_launches_nothing(
        self, records: dict[str, Gotcha]
    ) -> None:
        verdict = self.seen(records, "text", FIXED, returned(), tier=Tier.PACKAGE, target=None)
        assert verdict.outcome is Outcome.FIX_CONFIRMED


def test_a_release_under_test_counts_as_used(tmp_path: Path) -> None:
    affects = [{"hardware": "any", "software": {"vllm": {"fixed": "0.20.0"}}}]
    gotcha, _ = read_gotcha(tmp_path, affects=affects)
    for version, outcome in (("0.19.0", Outcome.NOT_REPRODUCED), ("0.20.0", Outcome.FIXED_HERE)):
        run = a_run(gotcha, tier=Tier.PACKAGE, package=f"vllm=={version}")
        assert judge(run, returned(7), KNOWN).outcome is outcome


def test_a_reason_is_whole(records: dict[str, Gotcha]) -> None:
    long = "\n".join(f"RuntimeError: line {number} {'x' * 500}" for number in range(50))
    assert judge(a_run(records["text"]), raised(long), KNOWN).reason == long


def test_what_a_release_does_not_have_says_nothing_outside_the_claim(tmp_path: Path) -> None:
    affects = [{"hardware": "any", "software": {"vllm": {"introduced": "0.20.0", "fixed": "0.21.0"}}}]
    gotcha, _ = read_gotcha(tmp_path, affects=affects)
    seen = raised("ImportError: no such name", absent="no vllm/ops.py")
    for version, outcome in (("0.19.0", Outcome.SKIPPED), ("0.20.0", Outcome.WRONG_SYMPTOM)):
        run = a_run(gotcha, tier=Tier.PACKAGE, package=f"vllm=={version}")
        assert judge(run, seen, KNOWN).outcome is outcome

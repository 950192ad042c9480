from __future__ import annotations

from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.hardware.machine import Card, Machine, Unknown
from gpu_gotchas.proving.summary import header, table
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Subject, Tier
from tests.repro.samples import a_result

COMPILED = {"tier": Tier.COMPILE, "reason": "TypeError: no"}


def test_runs_that_ended_alike_share_a_row_and_others_do_not() -> None:
    results = [
        a_result(target="sm_80", **COMPILED),
        a_result(target="sm_86", **COMPILED),
        a_result(target="sm_87", **{**COMPILED, "reason": "TypeError: maybe"}),
        a_result(target="sm_89", **{**COMPILED, "outcome": Outcome.NOT_REPRODUCED}),
    ]
    rows = table(results)
    assert "  compile bug     reproduced     sm_80 sm_86" in rows
    assert "  compile bug     reproduced     sm_87" in rows
    assert "  compile bug     not-reproduced sm_89" in rows
    assert rows[0] == "made-up"


def test_gotchas_are_told_in_order_each_once() -> None:
    rows = table([a_result(gotcha="b"), a_result(gotcha="a"), a_result(gotcha="b", probe=Probe.FIXED)])
    assert [row for row in rows if not row.startswith(" ")] == ["a", "b"]


def test_a_reason_of_many_lines_is_told_whole() -> None:
    reason = "one\n" + "two " * 100 + "\nthree"
    rows = table([a_result(reason=reason)])
    assert [row.removeprefix("      ") for row in rows[2:]] == reason.splitlines()


def test_what_is_upstream_says_which() -> None:
    (_, row, _) = table([a_result(tier=Tier.PACKAGE, subject=Subject.UPSTREAM, package="vllm==0.33.0")])
    assert row.endswith("cpu vllm==0.33.0")


def test_the_header_says_what_hardware_is_known() -> None:
    card = Card("NVIDIA H200", find_target("sm_90"))
    cases = {
        "gotchas: NVIDIA H200 (sm_90), Oddity (no target known)": Machine(cards=(card, Card("Oddity", None))),
        "gotchas: described as NVIDIA H200 (sm_90)": Machine(cards=(card,), described=True),
        "gotchas: no GPU: the device tier is skipped": Machine(cards=()),
        "gotchas: cards unknown": Machine(),
        "gotchas: cards unknown (GPUs: it hangs)": Machine(unknown=(Unknown("GPUs", "it hangs"),)),
    }
    for expected, machine in cases.items():
        assert header(machine)[0] == expected

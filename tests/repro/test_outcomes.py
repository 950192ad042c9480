from __future__ import annotations

from gpu_gotchas.repro.outcomes import Outcome


def test_no_outcome_both_passes_and_fails() -> None:
    assert not [outcome for outcome in Outcome if outcome.passed and outcome.failed]


def test_what_neither_passes_nor_fails_is_what_says_nothing_of_the_claim() -> None:
    neither = {outcome for outcome in Outcome if not (outcome.passed or outcome.failed)}
    assert neither == {Outcome.MASKED, Outcome.INCONCLUSIVE, Outcome.ELSEWHERE, Outcome.SKIPPED}

"""What came out of results, in words that claim no more than was shown. Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import CPU, Probe, Role, Tier
from gpu_gotchas.repro.results import Result
from gpu_gotchas.site.markdown import text
from gpu_gotchas.site.wording import measured

FEW_TARGETS = 6
NOTHING_TO_ADD = {Outcome.FIX_CONFIRMED, Outcome.CONTROL_CLEAN, Outcome.FIXED_HERE}
"""Where nothing failed, the reason says that again."""

_WORDS = {
    Outcome.REPRODUCED: "fails as described",
    Outcome.FIX_CONFIRMED: "the fix holds",
    Outcome.GUARDED: "the fix refuses in time, with the way out",
    Outcome.CONTROL_CLEAN: "does not fail",
    Outcome.FIXED_HERE: "does not fail outside the claimed versions",
    Outcome.NOT_REPRODUCED: "does not fail, against the record's claim",
    Outcome.WRONG_SYMPTOM: "fails otherwise than described",
    Outcome.FIX_FAILED: "the fix does not hold",
    Outcome.CONTROL_DIRTY: "fails as well, against the record's claim",
    Outcome.OVERBLOCKED: "the fix refuses where nothing is wrong",
    Outcome.CRASHED: "the probe crashed",
    Outcome.TIMED_OUT: "the probe did not end in time",
    Outcome.MASKED: "another failure comes first",
    Outcome.INCONCLUSIVE: "neither good nor bad",
    Outcome.ELSEWHERE: "no proof, since outside the claimed range: run",
    Outcome.SKIPPED: "not run",
}
# Without a card nothing is launched, so nothing there may be said to run.
_COMPILED = {
    Outcome.FIX_CONFIRMED: "with the fix compiles and fits",
    Outcome.CONTROL_CLEAN: "compiles and fits",
}


def outcome_words(result: Result) -> str:
    """What came out, in words that claim no more than the tier shows."""
    # A package is asked to compile for a target; asked as none at all, its code ran.
    compiled = _COMPILED if result.target != CPU and result.tier in (Tier.COMPILE, Tier.PACKAGE) else {}
    words = compiled.get(result.outcome, _WORDS[result.outcome])
    control = result.role is Role.CONTROL or result.probe is Probe.CONTROL
    return f"control: {words}" if control else words


def targets_of(group: Iterable[Result]) -> list[str]:
    return sorted({result.target for result in group} - {CPU}, key=natural)


def on_targets(targets: Sequence[str]) -> str:
    """Few targets by name, many by their number."""
    return f" for {len(targets)} targets" if len(targets) > FEW_TARGETS else named(targets)


def named(targets: Sequence[str]) -> str:
    return f" for {', '.join(map(text, targets))}" if targets else ""


def natural(target: str) -> list[tuple[str, int]]:
    """Orders sm_89 before sm_120."""
    return [(name, int(number or 0)) for name, number in re.findall(r"(\D*)(\d*)", target)]


def what_was_measured(group: Iterable[Result], gotcha: Gotcha) -> str:
    values = [value for result in group for value in result.measured]
    if not values:
        return ""
    observable = gotcha.symptom.observable
    return f" ({text(measured(values, observable.unit if observable else ''))})"

"""Whether version ranges that say they were measured are borne out by runs on the package's own code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Role, Subject
from gpu_gotchas.repro.results import Result


def unmeasured(gotcha: Gotcha, results: Iterable[Result]) -> list[str]:
    """What is missing: each end that a measured range names wants a run of that very release.

    `introduced` and `last_bad` must have failed with the record's symptom; at `fixed` the same probe must
    have come through.
    """
    asked = [result for result in results if result.subject is Subject.UPSTREAM and result.package]
    ended = {(result.package, result.outcome) for result in asked if _is_bug(result)}
    return [
        missing
        for case in gotcha.affects
        for package, ranges in case.software.items()
        for range_ in ranges
        if range_.measured
        for missing in _missing(package, range_, ended)
    ]


def _is_bug(result: Result) -> bool:
    return result.probe is Probe.BUG and result.role is Role.AFFECTED


def _missing(package: str, range_: VersionRange, ended: set[tuple[str | None, Outcome]]) -> Iterator[str]:
    for release in filter(None, (range_.introduced, range_.last_bad)):
        if (f"{package}=={release}", Outcome.REPRODUCED) not in ended:
            yield f"{package} {release} is not shown to fail, and the range says that it was measured"
    if range_.fixed and (f"{package}=={range_.fixed}", Outcome.FIXED_HERE) not in ended:
        yield f"{package} {range_.fixed} is not shown to be good, and the range says that it was measured"

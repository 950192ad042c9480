"""Whether version ranges that say they were measured are borne out by runs on the package's own code."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.records.model import ControlAxis, Gotcha
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from gpu_gotchas.repro.results import Result


def unmeasured(gotcha: Gotcha, results: Iterable[Result]) -> list[str]:
    """What is missing: each end that a measured range names wants a run of that very release.

    `introduced` and `last_bad` must have failed with the record's symptom; at `fixed` the same probe must
    have come through. Where controls lie on versions, that run is the control.
    """
    counted = [_as_release(gotcha, result) for result in results]
    ended = {
        (release, result.outcome) for result in counted if _is_bug(result) for release in _releases(result)
    }
    return [
        missing
        for case in gotcha.affects
        for package, ranges in case.software.items()
        for range_ in ranges
        if range_.measured
        for missing in _missing(package, range_, ended)
    ]


def _as_release(gotcha: Gotcha, result: Result) -> Result:
    """A clean control on another release, seen as what it says of that release."""
    if gotcha.control is ControlAxis.VERSION and result.outcome is Outcome.CONTROL_CLEAN:
        return replace(result, role=Role.AFFECTED, outcome=Outcome.FIXED_HERE)
    return result


def _is_bug(result: Result) -> bool:
    return result.probe is Probe.BUG and result.role is Role.AFFECTED


def unclaimed(gotcha: Gotcha, results: Iterable[Result]) -> list[str]:
    """Releases that were seen to fail and that every range of the record denies."""
    failed = {
        release
        for result in results
        if _is_bug(result) and result.outcome is Outcome.REPRODUCED
        for release in _releases(result)
    }
    denied = []
    for release in sorted(failed):
        package, _, version = release.partition("==")
        spans = [span for case in gotcha.affects for span in case.software.get(package, ())]
        if spans and all(span.holds(version) is Truth.NO for span in spans):
            denied.append(f"{package} {version} fails, and lies outside the claimed ranges")
    return denied


def _releases(result: Result) -> Iterator[str]:
    """The releases, `name==version`, whose own code a run asked. Outside the package tier that is Triton."""
    if result.package and result.subject is Subject.UPSTREAM:
        yield result.package
    elif result.tier in (Tier.LOGIC, Tier.COMPILE) and "triton" in result.versions:
        yield f"triton=={result.versions['triton']}"


def _missing(package: str, range_: VersionRange, ended: Collection[tuple[str, Outcome]]) -> Iterator[str]:
    for release in filter(None, (range_.introduced, range_.last_bad)):
        if (f"{package}=={release}", Outcome.REPRODUCED) not in ended:
            yield f"{package} {release} is not shown to fail, and the range says that it was measured"
    if range_.fixed and (f"{package}=={range_.fixed}", Outcome.FIXED_HERE) not in ended:
        yield f"{package} {range_.fixed} is not shown to be good, and the range says that it was measured"

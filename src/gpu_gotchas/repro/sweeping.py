"""What releases of a package showed, and what that says of the ranges that a record states. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from gpu_gotchas.hardware.truth import Truth, some
from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.results import Result
from gpu_gotchas.repro.telling import lacks


class Shown(Enum):
    """What a release showed: it fails, it does not, it has no such code; or nothing that says either."""

    BAD = "bad"
    GOOD = "good"
    ABSENT = "absent"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Release:
    """version: as published. because: the words of what was seen, or why nothing was."""

    version: str
    shown: Shown
    because: str = ""


_MEANS = {
    Outcome.REPRODUCED: Shown.BAD,
    Outcome.FIXED_HERE: Shown.GOOD,
    Outcome.NOT_REPRODUCED: Shown.GOOD,
    # Where another release is the control.
    Outcome.CONTROL_CLEAN: Shown.GOOD,
    Outcome.CONTROL_DIRTY: Shown.BAD,
}


def shown(version: str, results: Sequence[Result]) -> Release:
    """What one release showed, over all targets that it was asked about. Targets that differ are unclear."""
    means = {_means(result) for result in results}
    if len(means) > 1:
        told = ", ".join(f"{result.target} {_means(result).value}" for result in results)
        return Release(version, Shown.UNCLEAR, f"targets differ: {told}")
    if not means:
        return Release(version, Shown.UNCLEAR, "nothing was asked")
    return Release(version, means.pop(), results[0].reason)


def tells(result: Result) -> bool:
    """Whether a result says that a release fails, or that it does not."""
    return result.outcome in _MEANS


def _means(result: Result) -> Shown:
    if result.outcome is Outcome.SKIPPED and lacks(result.reason):
        return Shown.ABSENT
    return _MEANS.get(result.outcome, Shown.UNCLEAR)


def ranges(releases: Sequence[Release]) -> tuple[VersionRange, ...]:
    """The ranges in which releases were seen to fail, oldest first; several where the fault came back.

    A range has no `introduced` where nothing before it was seen not to fail. Releases that say nothing lie
    inside a range when both sides of them fail.
    """
    told = [release for release in releases if release.shown is not Shown.UNCLEAR]
    found: list[VersionRange] = []
    for before, release in pairwise([None, *told]):
        if release is None:
            continue
        bad = release.shown is Shown.BAD
        if bad and (before is None or before.shown is not Shown.BAD):
            found.append(VersionRange(release.version if before else None, last_bad=release.version))
        elif bad:
            found[-1] = VersionRange(found[-1].introduced, last_bad=release.version)
        elif before is not None and before.shown is Shown.BAD:
            found[-1] = VersionRange(found[-1].introduced, fixed=release.version)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A record's ranges beside what was seen.

    wrong: releases that show the opposite of what is claimed. measured, believed: what is said of the ends.
    """

    wrong: tuple[str, ...]
    measured: tuple[str, ...]
    believed: tuple[str, ...]


def compare(gotcha: Gotcha, package: str, releases: Sequence[Release]) -> Comparison:
    """Hold `affects.software` for `package` against what its releases showed."""
    claimed = [range_ for case in gotcha.affects for range_ in case.software.get(package, ())]
    measured: list[str] = []
    believed: list[str] = []
    for range_ in claimed:
        for told, is_measured in _ends(range_, package, releases):
            (measured if is_measured else believed).append(told)
    return Comparison(tuple(_wrong(claimed, package, releases)), tuple(measured), tuple(believed))


def _wrong(claimed: Iterable[VersionRange], package: str, releases: Iterable[Release]) -> Iterator[str]:
    spans = list(claimed)
    for release in releases:
        holds = some(span.holds(release.version) for span in spans)
        fails = release.shown is Shown.BAD
        if fails and holds is not Truth.YES:
            place = "outside" if holds is Truth.NO else "after"
            yield f"{package} {release.version} fails, and lies {place} the claimed ranges"
        elif release.shown in (Shown.GOOD, Shown.ABSENT) and holds is Truth.YES:
            yield f"{package} {release.version} does not fail, and lies inside the claimed ranges"


def _ends(range_: VersionRange, package: str, releases: Sequence[Release]) -> Iterator[tuple[str, bool]]:
    """Each end with whether it was measured: its release was asked and shows what the end says.

    A start also wants a release before it that does not fail: the oldest that was asked starts nothing.
    """
    seen = {release.version: release.shown for release in releases}
    before = {
        after.version: release.shown
        for release, after in pairwise(r for r in releases if r.shown is not Shown.UNCLEAR)
    }
    ends = (
        ("introduced", range_.introduced, Shown.BAD),
        ("last_bad", range_.last_bad, Shown.BAD),
        ("fixed", range_.fixed, Shown.GOOD),
    )
    for end, version, expected in ends:
        if version is None:
            continue
        starts = end != "introduced" or before.get(version) in (Shown.GOOD, Shown.ABSENT)
        yield f"{package} {end} {version}", seen.get(version) is expected and starts


def unsaid(releases: Sequence[Release], package: str) -> list[str]:
    """Between which releases an end lies, where what lies between was not asked or did not tell."""
    told = [place for place, release in enumerate(releases) if release.shown is not Shown.UNCLEAR]
    return [
        f"{package} changes between {releases[before].version} and {releases[after].version}, "
        f"and {after - before - 1} between them did not tell"
        for before, after in pairwise(told)
        if after - before > 1
        and (releases[before].shown is Shown.BAD) != (releases[after].shown is Shown.BAD)
    ]

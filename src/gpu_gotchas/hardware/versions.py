"""Ranges of releases, and whether a version, or what a machine has installed, lies in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth, some

if TYPE_CHECKING:
    from packaging.version import Version

_RELEASE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9}){0,5})(?:\.post([0-9]{1,9}))?")
# What a build from source without tags is called.
_UNTAGGED = re.compile(r"0\.(?:1|0\.[01])\.dev[0-9]+(?:\+.*)?")
# A line of releases, as people name it.
_LINE = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,4}\.x")
_MOST = 999_999_999
# Local parts that say what a release was built for. Any other one names a fork, a vendor or a commit.
_BUILD = re.compile(r"cu[0-9]{2,4}|cpu|xpu|rocm[0-9.]*|cu[0-9]{2,4}\.?torch[0-9.]+")


@dataclass(frozen=True, slots=True)
class VersionRange:
    """Releases from `introduced` (None: from the first) to before `fixed` or through `last_bad`.

    At most one of `fixed` and `last_bad` is given. After `last_bad` nothing is known.
    measured: whether a run over releases found the ends, or they are only believed.
    Raises ValueError for ends that are no final releases, and for a range that can never hold.
    """

    introduced: str | None = None
    fixed: str | None = None
    last_bad: str | None = None
    measured: bool = False

    def __post_init__(self) -> None:
        first = _release("introduced", self.introduced)
        fixed = _release("fixed", self.fixed)
        last_bad = _release("last_bad", self.last_bad)
        if fixed and last_bad:
            raise ValueError(
                "a range has 'fixed' or 'last_bad', not both: give 'fixed' if the first good one is known"
            )
        if first and fixed and first >= fixed:
            raise ValueError(
                f"introduced {self.introduced} does not come before fixed {self.fixed}: the range is empty"
            )
        if first and last_bad and first > last_bad:
            raise ValueError(
                f"introduced {self.introduced} comes after last_bad {self.last_bad}: the range is empty"
            )

    def holds(self, version: str | None) -> Truth:
        """Whether `version` lies in the range; UNKNOWN where it is None or cannot be read as a version.

        The range is over final releases, and local parts that say what a release was built for (`+cu126`,
        `+cpu`, `+rocm6.3`) do not count. A pre-release, a nightly, and a build with any other local part
        (a fork, a vendor's build, a commit) is UNKNOWN near an end of the range, and else counts as the
        release it is based on. Near is: the same major with a minor that differs by one at most, or a
        neighbouring major of which the higher one is at minor 0. A release after `last_bad` is UNKNOWN.
        `0.19.x` is some release of 0.19: UNKNOWN where an end lies among them. `0.1.dev17308` is what a build
        from source is called whose repository had no tags: UNKNOWN.
        """
        if version is not None and _LINE.fullmatch(version):
            return self._holds_for(version.partition(".x")[0])
        found = _parse(version)
        if found is None or _UNTAGGED.fullmatch(version or ""):
            return Truth.UNKNOWN
        if not _is_final(found):
            ends = (self.introduced, self.fixed, self.last_bad)
            if any(_near(found, _known(end)) for end in ends if end is not None):
                return Truth.UNKNOWN
            found = _known(found.base_version)
        else:
            found = _known(found.public)
        if self.introduced is not None and found < _known(self.introduced):
            return Truth.NO
        if self.fixed is not None:
            return Truth.of(found < _known(self.fixed))
        if self.last_bad is not None and found > _known(self.last_bad):
            return Truth.UNKNOWN
        return Truth.YES

    def long_past(self, version: str) -> bool:
        """Whether `version` is newer than `last_bad`, and not near it as `holds` has it."""
        found = _parse(version)
        if found is None or self.last_bad is None:
            return False
        last = _known(self.last_bad)
        return found > last and not _near(found, last)

    def _holds_for(self, line: str) -> Truth:
        """For every release of a line, or UNKNOWN."""
        first, last = _known(line), _known(f"{line}.{_MOST}")
        begins = self.introduced is not None and first < _known(self.introduced) <= last
        answers = {self.holds(str(first)), self.holds(str(last))}
        return Truth.UNKNOWN if begins or len(answers) > 1 else answers.pop()


def canonical(package: str) -> str:
    """A package's name as Machine.software spells it: lower case, hyphens only."""
    return re.sub(r"[-_.]+", "-", package).lower()


def equal_form(version: str) -> str:
    """One spelling for versions that are equal (PEP 440), such as `0.19`, `v0.19.0` and `0.19.0`; what is no
    version stays as it is."""
    from packaging.utils import canonicalize_version

    return canonicalize_version(version)


def release_of(version: str) -> str | None:
    """The final release that a build is of (`0.20.0+cu126` is 0.20.0); None for a build of its own."""
    found = _parse(version)
    return found.public if found is not None and _is_final(found) else None


def software_holds(ranges: Sequence[VersionRange], machine: Machine, package: str) -> Truth:
    """Whether what the machine has of `package` lies in one of `ranges`; in any version when there are none.

    Not listed is UNKNOWN. Listed with None, so known not to be there, is NO.
    """
    name = canonical(package)
    if name not in machine.software:
        return Truth.UNKNOWN
    version = machine.software[name]
    if version is None:
        return Truth.NO
    if not ranges:
        return Truth.YES
    return some(range_.holds(version) for range_ in ranges)


def _release(end: str, text: str | None) -> tuple[tuple[int, ...], int] | None:
    """A final release as something that orders. packaging is not asked: records are read by the thousand."""
    if text is None:
        return None
    match = _RELEASE.fullmatch(text) if isinstance(text, str) else None
    if not match:
        raise ValueError(f"{end}: {text!r} is no final release: write a quoted version such as '0.20.0'")
    numbers = [int(number) for number in match[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), -1 if match[2] is None else int(match[2])


def _known(text: str) -> Version:
    from packaging.version import Version  # here, not at the top: it costs start-up time

    return Version(text)


def _parse(text: str | None) -> Version | None:
    if text is None or len(text) > 200:
        return None
    from packaging.version import InvalidVersion

    try:
        return _known(text)
    except InvalidVersion:
        return None


def _is_final(version: Version) -> bool:
    if version.is_prerelease:
        return False
    return version.local is None or _BUILD.fullmatch(version.local) is not None


def _near(version: Version, end: Version) -> bool:
    """Whether a build that is no release may lie on either side of `end`; see VersionRange.holds."""
    if version.epoch != end.epoch:
        return False
    if version.major == end.major:
        return abs(version.minor - end.minor) <= 1
    higher = max(version, end)
    return abs(version.major - end.major) == 1 and higher.minor == 0

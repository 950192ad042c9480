"""Rules about who is affected: hardware, versions, settings, and the controls beside them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

from packaging.version import Version

from gpu_gotchas.hardware.catalogue import targets
from gpu_gotchas.hardware.conditions import HardwareCondition, VersionRange
from gpu_gotchas.hardware.targets import Target
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.lint.base import Entry, Finding, each_entry, each_gotcha
from gpu_gotchas.records.model import ControlAxis, Gotcha
from gpu_gotchas.records.settings import settings
from gpu_gotchas.records.shapes import suggestion


def _conditions(entry: Entry) -> Iterator[tuple[str, HardwareCondition]]:
    for number, case in enumerate(entry.affects):
        yield f"affects[{number}].hardware", case.hardware


def _asks_for_targets(condition: HardwareCondition) -> bool:
    return condition.vendors is not None or condition.shared_memory is not None


@each_gotcha
def case_has_targets(gotcha: Gotcha) -> Iterator[Finding]:
    """The ranges are the test plan: a case that no known target meets is never tested."""
    for place, condition in _conditions(gotcha):
        if all(condition.on_target(target) is Truth.NO for target in targets()):
            yield Finding(place, "is met by no known target: check its ranges and properties")


@each_entry
def range_has_targets(entry: Entry) -> Iterator[Finding]:
    """A range or a name that no known target meets is a slip, even beside others that are met."""
    known = {target.name for target in targets()}
    capabilities = [target.capability for target in targets() if target.capability]
    for place, condition in _conditions(entry):
        for vendor, wanted in (condition.vendors or {}).items():
            for number, span in enumerate(wanted.capabilities):
                if not any(map(span.contains, capabilities)):
                    where = f"{place}.{vendor.value}.compute_capability[{number}]"
                    yield Finding(where, f"{span.text!r} holds no known compute capability")
            for number, name in enumerate(wanted.names):
                if name not in known:
                    where = f"{place}.{vendor.value}.gfx[{number}]"
                    yield Finding(where, f"{name!r} is no known target{suggestion(name, known)}")


@each_entry
def ranges_are_apart(entry: Entry) -> Iterator[Finding]:
    """Two ranges of one case that share a target say one thing twice, and get changed only once."""
    capabilities = [target.capability for target in targets() if target.capability]
    for place, condition in _conditions(entry):
        for vendor, wanted in (condition.vendors or {}).items():
            numbered = enumerate(wanted.capabilities)
            for (_, first), (number, second) in combinations(numbered, 2):
                if any(first.contains(each) and second.contains(each) for each in capabilities):
                    where = f"{place}.{vendor.value}.compute_capability[{number}]"
                    yield Finding(where, f"{second.text!r} overlaps {first.text!r}: make them one")


def _version_ranges(entry: Entry) -> Iterator[tuple[str, tuple[VersionRange, ...]]]:
    for number, case in enumerate(entry.affects):
        for package, ranges in case.software.items():
            yield f"affects[{number}].software.{package}", ranges


@each_entry
def version_ranges_are_apart(entry: Entry) -> Iterator[Finding]:
    """Several ranges mean that a fault came back; each must end before the next begins, oldest first."""
    for place, ranges in _version_ranges(entry):
        for number, (older, newer) in enumerate(pairwise(ranges), start=1):
            if not _ends_before(older, newer):
                yield Finding(
                    f"{place}[{number}]", "must begin after the range before it has ended: oldest first"
                )


def _ends_before(older: VersionRange, newer: VersionRange) -> bool:
    if newer.introduced is None:
        return False
    start = Version(newer.introduced)
    if older.fixed is not None:
        return Version(older.fixed) <= start
    return older.last_bad is not None and Version(older.last_bad) < start


@each_gotcha
def control_axis_is_given(gotcha: Gotcha) -> Iterator[Finding]:
    """Without a control a failure proves nothing: a probe that always fails would pass for a repro."""
    if gotcha.control is None and not gotcha.status.withdrawn:
        yield Finding("", "key 'control' must say where the controls lie: hardware, version or condition")


@each_gotcha
def control_axis_has_a_range(gotcha: Gotcha) -> Iterator[Finding]:
    """Controls lie beyond a range, so the axis that is named must have one."""
    if gotcha.control is ControlAxis.HARDWARE and not any(
        _asks_for_targets(condition) for _, condition in _conditions(gotcha)
    ):
        yield Finding(
            "control", "is hardware, but no case narrows the hardware: give a range or another axis"
        )
    if gotcha.control is ControlAxis.VERSION and not any(
        span != VersionRange() for _, ranges in _version_ranges(gotcha) for span in ranges
    ):
        yield Finding(
            "control", "is version, but no case names a package's versions: give a range or another axis"
        )


@each_gotcha
def hardware_control_exists(gotcha: Gotcha) -> Iterator[Finding]:
    """A range that takes in every target of its vendors leaves nothing to compare with."""
    if gotcha.control is not ControlAxis.HARDWARE or not gotcha.affects:
        return
    conditions = [condition for _, condition in _conditions(gotcha) if _asks_for_targets(condition)]
    if conditions and not any(_is_control(target, conditions) for target in targets()):
        yield Finding(
            "control", "is hardware, but no known target of a claimed vendor lies outside: use another axis"
        )


def _is_control(target: Target, conditions: list[HardwareCondition]) -> bool:
    claimed = any(condition.vendors is None or target.vendor in condition.vendors for condition in conditions)
    return claimed and all(condition.on_target(target) is Truth.NO for condition in conditions)


@each_entry
def when_names_settings(entry: Entry) -> Iterator[Finding]:
    """A doctor reads `when` against command lines, by the flags and values of schema/settings.yaml."""
    for number, case in enumerate(entry.affects):
        for name, values in case.when.items():
            place = f"affects[{number}].when.{name}"
            setting = settings().get(name)
            if setting is None:
                hint = suggestion(name, settings()) or "; add it to schema/settings.yaml"
                yield Finding(place, f"is no known setting{hint}")
                continue
            for index, value in enumerate(values):
                if not setting.allows(value):
                    legal = ", ".join(setting.values) or f"a value of kind {setting.kind.value}"
                    yield Finding(f"{place}[{index}]", f"{value!r} is not legal: {legal}")

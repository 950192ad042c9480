"""Rules about the repro beside a record, read and never run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpu_gotchas.records.lint.base import Finding, each_gotcha
from gpu_gotchas.records.model import ControlAxis, Gotcha, Status
from gpu_gotchas.records.shapes import suggestion
from gpu_gotchas.records.sources import Source, read_source

REPRO = "repro.py"
TIERS = ("logic", "compile", "package", "device")
PROBES = ("bug", "fixed", "control")
PROBE_NAMES = frozenset(
    {*PROBES, *(f"{probe}_{tier}" for probe in PROBES for tier in TIERS), "bug_elsewhere"},
)
NEEDS = {"gpus": int, "memory_gib": int, "minutes": int}
MAY_NEED = {"can_wedge": bool, "imports": list}


def _repro(gotcha: Gotcha) -> Source | None:
    """The repro of a record that should have one; None when there is nothing to look at."""
    path = gotcha.path / REPRO
    if gotcha.status.withdrawn or not path.is_file():
        return None
    return read_source(path)


def _has(source: Source, probe: str) -> bool:
    return any(name in source.names for name in (probe, *(f"{probe}_{tier}" for tier in TIERS)))


@each_gotcha
def repro_exists(gotcha: Gotcha) -> Iterator[Finding]:
    """What can't be made to happen is a candidate, not a gotcha."""
    if not gotcha.status.withdrawn and not (gotcha.path / REPRO).is_file():
        yield Finding("", f"has no {REPRO}: write one, or move it to _candidates.yaml")


@each_gotcha
def repro_can_be_read(gotcha: Gotcha) -> Iterator[Finding]:
    """A file that is no Python runs nowhere."""
    source = _repro(gotcha)
    if source and source.fault:
        yield Finding("", f"{REPRO} can't be parsed: {source.fault}")


@each_gotcha
def withdrawn_has_no_repro(gotcha: Gotcha) -> Iterator[Finding]:
    """Code beside a withdrawn record would go on claiming to prove it."""
    if gotcha.status.withdrawn and (gotcha.path / REPRO).exists():
        yield Finding("status", f"is {gotcha.status.value}, so {REPRO} must go: history tells what it showed")


@each_gotcha
def repro_has_a_bug(gotcha: Gotcha) -> Iterator[Finding]:
    """The failure must happen before a fix can be believed."""
    source = _repro(gotcha)
    if source and not source.fault and not _has(source, "bug"):
        yield Finding("", f"{REPRO} must define bug, or bug_<tier>, one of {', '.join(TIERS)}")


@each_gotcha
def repro_has_a_fix(gotcha: Gotcha) -> Iterator[Finding]:
    """A record that offers a fix shows it at work on the same call."""
    source = _repro(gotcha)
    exempt = gotcha.status in (Status.REPRODUCED, Status.DRAFT)
    if source and not source.fault and not exempt and not _has(source, "fixed"):
        yield Finding("", f"{REPRO} must define fixed, or fixed_<tier>, as status is {gotcha.status.value}")


@each_gotcha
def repro_has_its_controls(gotcha: Gotcha) -> Iterator[Finding]:
    """Controls on a condition are calls that only the repro can make; on other axes the runner makes them."""
    source = _repro(gotcha)
    if source is None or source.fault or gotcha.control is None:
        return
    has, wanted = _has(source, "control"), gotcha.control is ControlAxis.CONDITION
    if wanted and not has:
        yield Finding(
            "control", f"is condition, so {REPRO} must define control_<tier>: the call with that one change"
        )
    if has and not wanted:
        yield Finding(
            "control", f"is {gotcha.control.value}, but {REPRO} defines a control of its own: nobody calls it"
        )


@each_gotcha
def version_control_can_be_asked(gotcha: Gotcha) -> Iterator[Finding]:
    """Another release can only be a control when its code is asked, and some release is said to be good."""
    if gotcha.control is not ControlAxis.VERSION:
        return
    source = _repro(gotcha)
    if source and not source.fault and "bug_package" not in source.names:
        yield Finding("control", f"is version, so {REPRO} must define bug_package, which asks a release")
    ranges = (span for case in gotcha.affects for spans in case.software.values() for span in spans)
    if not any(span.introduced or span.fixed for span in ranges):
        yield Finding("control", "is version, so a range must name the release that introduced or fixed it")


@each_gotcha
def probe_names_are_known(gotcha: Gotcha) -> Iterator[Finding]:
    """A probe with a misspelt tier is never run, and nobody notices."""
    source = _repro(gotcha)
    for name in sorted(source.names) if source else ():
        if name.split("_")[0] in PROBES and name not in PROBE_NAMES:
            hint = suggestion(name, PROBE_NAMES) or "; begin helpers with _"
            yield Finding("", f"{REPRO} binds {name!r}, which is no probe{hint}")


@each_gotcha
def repro_says_what_it_shows(gotcha: Gotcha) -> Iterator[Finding]:
    """A repro is read more often than it is run."""
    source = _repro(gotcha)
    if source and not source.fault and not source.docstring:
        yield Finding("", f"{REPRO} must begin with a docstring that says what it shows")


@each_gotcha
def repro_says_what_it_needs(gotcha: Gotcha) -> Iterator[Finding]:
    """The runner decides what can run here without importing anything."""
    source = _repro(gotcha)
    if source and not source.fault:
        fault = _needs_fault(source.needs)
        if fault:
            yield Finding("", f'{REPRO}: NEEDS {fault}, such as {{"gpus": 1, "memory_gib": 1, "minutes": 1}}')


def _needs_fault(needs: Any) -> str | None:
    if not isinstance(needs, dict):
        return "must be a literal dict"
    for name, kind in NEEDS.items():
        value = needs.get(name)
        if type(value) is not kind or value < 0:
            return f"must give {name} as a whole number"
    for name, value in needs.items():
        if name not in NEEDS and (name not in MAY_NEED or type(value) is not MAY_NEED[name]):
            return f"may not hold {name!r}: {value!r}"
    return None

"""The runs that prove a record, derived from its ranges, its repro and what this machine offers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeGuard

from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.targets import Target
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.model import ControlAxis, Gotcha
from gpu_gotchas.repro.packages import WHOLE
from gpu_gotchas.repro.probe import CPU, Probe, Role, Subject, Tier
from gpu_gotchas.repro.source import ELSEWHERE, Repro
from gpu_gotchas.repro.targets import (
    affected_targets,
    claims_hardware,
    compiled_targets,
    control_targets,
    is_affected,
)


@dataclass(frozen=True, slots=True)
class Run:
    """One probe to run. target: None where no hardware is asked about. function: its name in the repro.

    package: `name==version` of the upstream package under test, in the package tier.
    beside: `triton==version` that is imported instead of the installed one.
    """

    gotcha: Gotcha
    repro: Repro
    tier: Tier
    target: Target | None
    probe: Probe
    role: Role
    function: str
    package: str | None = None
    beside: str | None = None

    @property
    def target_name(self) -> str:
        return self.target.name if self.target else CPU

    @property
    def name(self) -> str:
        where = f"{self.tier.value}-{self.target_name}"
        if self.role is Role.CONTROL and self.gotcha.control is ControlAxis.VERSION:
            where += f"-{self.package}"
        return f"{self.probe.value if self.role is not Role.ELSEWHERE else self.function}[{where}]"

    @property
    def subject(self) -> Subject:
        return Subject.UPSTREAM if self.tier is Tier.PACKAGE else Subject.MECHANISM


@dataclass(frozen=True, slots=True)
class NotRun:
    """A tier of a gotcha that cannot run here, because."""

    gotcha: Gotcha
    tier: Tier
    because: str

    @property
    def name(self) -> str:
        return f"bug[{self.tier.value}]"


def plan(
    gotcha: Gotcha,
    repro: Repro,
    machine: Machine,
    *,
    package: str | None = None,
    by_name: bool = False,
) -> list[Run | NotRun]:
    """Every run of one gotcha, in a stable order, and a reason for each tier that cannot run.

    package: upstream package to test, `name==version`; default is what `release_to_ask` says. Triton is no
    package of that tier: every tier that needs no card runs with the release that is named.
    by_name: the gotcha was asked for by its id, which a repro that can wedge a card needs.
    """
    if package and package.partition("==")[0] in WHOLE:
        runs = plan(gotcha, repro, machine, by_name=by_name)
        return [replace(run, beside=package) if _has_no_card(run) else run for run in runs]
    planned: list[Run | NotRun] = []
    for tier in repro.tiers:
        if tier is Tier.LOGIC:
            planned += _runs(gotcha, repro, tier, [None], [])
        elif tier is Tier.DEVICE:
            planned += _on_cards(gotcha, repro, machine, by_name=by_name)
        elif tier is Tier.PACKAGE:
            planned += _on_package(gotcha, repro, package)
        else:
            planned += _on_targets(gotcha, repro, tier)
    return planned


def _has_no_card(run: Run | NotRun) -> TypeGuard[Run]:
    return isinstance(run, Run) and run.tier is not Tier.DEVICE


def release_to_ask(gotcha: Gotcha) -> str | None:
    """The release that the package tier asks, `name==version`: the last bad one, else the one modelled, else
    the first bad one."""
    ranges = [
        (package, span)
        for case in gotcha.affects
        for package, spans in case.software.items()
        for span in spans
    ]
    named = [
        *(f"{package}=={span.last_bad}" for package, span in ranges if span.last_bad),
        *(f"{model.package}=={model.version}" for model in gotcha.models),
        *(f"{package}=={span.introduced}" for package, span in ranges if span.introduced),
    ]
    return named[0] if named else None


def control_release(gotcha: Gotcha) -> str | None:
    """The release without the fault that is the control, `name==version`, where controls lie on versions."""
    if gotcha.control is not ControlAxis.VERSION:
        return None
    ends = (
        f"{package}=={range_.fixed}"
        for case in gotcha.affects
        for package, ranges in case.software.items()
        for range_ in ranges
        if range_.fixed
    )
    return next(ends, None)


def _is_control(gotcha: Gotcha, release: str) -> bool:
    """Whether every range denies a release, and that makes it a control."""
    package, _, version = release.partition("==")
    ranges = [range_ for case in gotcha.affects for range_ in case.software.get(package, ())]
    denied = bool(ranges) and all(range_.holds(version) is Truth.NO for range_ in ranges)
    return denied and gotcha.control is ControlAxis.VERSION


def _on_package(gotcha: Gotcha, repro: Repro, asked: str | None) -> Iterator[Run | NotRun]:
    """asked: the release, None for those that the record names."""
    releases = [asked] if asked else list(filter(None, (release_to_ask(gotcha), control_release(gotcha))))
    if not releases:
        yield NotRun(gotcha, Tier.PACKAGE, "the record names no release of a package")
    for release in releases:
        if _is_control(gotcha, release):
            claimed = affected_targets(gotcha, compiled_targets()) if claims_hardware(gotcha) else [None]
            yield from _runs(gotcha, repro, Tier.PACKAGE, [], claimed, release)
        elif claims_hardware(gotcha):
            yield from _on_targets(gotcha, repro, Tier.PACKAGE, release)
        else:
            yield from _runs(gotcha, repro, Tier.PACKAGE, [None], [], release)


def _on_targets(
    gotcha: Gotcha, repro: Repro, tier: Tier, package: str | None = None
) -> Iterator[Run | NotRun]:
    known = compiled_targets()
    controls = control_targets(gotcha, known) if gotcha.control is ControlAxis.HARDWARE else ()
    yield from _runs(gotcha, repro, tier, affected_targets(gotcha, known), controls, package)


def _runs(
    gotcha: Gotcha,
    repro: Repro,
    tier: Tier,
    affected: Iterable[Target | None],
    controls: Iterable[Target | None],
    package: str | None = None,
) -> Iterator[Run]:
    probes = {probe: repro.function(probe, tier) for probe in Probe}
    for role, where in ((Role.AFFECTED, affected), (Role.CONTROL, controls)):
        for target in where:
            for probe, function in probes.items():
                # On a control target, bug and fixed are the control; `control` changes a condition instead.
                if function and not (role is Role.CONTROL and probe is Probe.CONTROL):
                    yield Run(gotcha, repro, tier, target, probe, role, function, package)


def _on_cards(gotcha: Gotcha, repro: Repro, machine: Machine, *, by_name: bool) -> Iterator[Run | NotRun]:
    because = _no_card(repro, machine, by_name=by_name)
    if because:
        yield NotRun(gotcha, Tier.DEVICE, because)
        return
    cards = {card.target.name: card.target for card in machine.cards or () if card.target}
    outside = []
    for target in cards.values():
        if is_affected(gotcha, target):
            yield from _runs(gotcha, repro, Tier.DEVICE, [target], [])
        elif gotcha.control is ControlAxis.HARDWARE:
            yield from _runs(gotcha, repro, Tier.DEVICE, [], [target])
            if ELSEWHERE in repro.functions:
                yield Run(gotcha, repro, Tier.DEVICE, target, Probe.BUG, Role.ELSEWHERE, ELSEWHERE)
        else:
            outside.append(target.name)
    if outside:
        yield NotRun(gotcha, Tier.DEVICE, f"{' and '.join(outside)} outside the claimed hardware")


def _no_card(repro: Repro, machine: Machine, *, by_name: bool) -> str | None:
    """Why the device tier cannot run, or None."""
    needs = repro.needs
    if machine.described:
        return "the hardware is described in a file, and a description runs nothing"
    if machine.cards is None:
        return "; ".join(f"{part.what}: {part.because}" for part in machine.unknown) or "no card is known of"
    if len(machine.cards) < needs.gpus:
        return f"needs {needs.gpus} GPU, this machine has {len(machine.cards)}"
    if needs.can_wedge and not by_name:
        return "may leave the card unusable until a reboot: ask for it with --gotcha ID"
    if not any(card.target for card in machine.cards):
        return "the cards here are in no table of ours: " + ", ".join(card.name for card in machine.cards)
    largest = max((card.memory for card in machine.cards if card.memory), default=None)
    if largest is not None and largest < needs.memory_gib * 2**30:
        return f"needs {needs.memory_gib:g} GiB on a card, the largest here has {largest / 2**30:.1f}"
    return None

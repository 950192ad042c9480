"""What a pytest run says of the base: a header with hardware and versions, a table of outcomes."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import metadata
from itertools import groupby

from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.repro.results import Result
from gpu_gotchas.repro.runner import NOWHERE

_SHOWN = ("torch", "triton", "vllm", "sglang", "flashinfer-python")


def header(machine: Machine) -> list[str]:
    """One line of hardware, one of versions."""
    return [f"gotchas: {_hardware(machine)}", f"gotchas: {_versions()}"]


def _hardware(machine: Machine) -> str:
    told = "described as " if machine.described else ""
    if machine.cards is None:
        why = "; ".join(f"{part.what}: {part.because}" for part in machine.unknown)
        return f"{told}cards unknown{f' ({why})' if why else ''}"
    if not machine.cards:
        return f"{told}no GPU: the device tier is skipped"
    names = [
        f"{card.name} ({card.target.name if card.target else 'no target known'})" for card in machine.cards
    ]
    return told + ", ".join(names)


def _versions() -> str:
    found = []
    for package in _SHOWN:
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    return ", ".join(found) or "none of torch, triton, vllm, sglang is installed"


def table(results: Iterable[Result]) -> list[str]:
    """Outcomes by gotcha, tier and probe; runs that ended alike share a line, and no reason is cut."""
    lines: list[str] = []
    ordered = sorted(results, key=_alike)
    for _, of_gotcha in groupby(ordered, key=lambda result: result.gotcha):
        group = list(of_gotcha)
        lines.append(group[0].gotcha)
        for _, alike in groupby(group, key=_alike):
            lines += _row(list(alike))
    return lines


def _alike(result: Result) -> tuple[str, ...]:
    return (
        result.gotcha, result.tier.value, result.role.value, result.probe.value,
        result.outcome.value, result.package or "", result.reason,
    )  # fmt: skip


def _row(alike: list[Result]) -> list[str]:
    first = alike[0]
    where = " ".join(dict.fromkeys(result.target for result in alike if result.target != NOWHERE))
    subject = f" {first.package}" if first.package else ""
    start = f"  {first.tier.value:<8}{first.probe.value:<8}{first.outcome.value:<15}{where}{subject}"
    return [start.rstrip(), *(f"      {line}" for line in first.reason.splitlines())]

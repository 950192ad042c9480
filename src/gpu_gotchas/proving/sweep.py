"""Asking one record's probe of a package's releases, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.proving.knowledge import knowledge
from gpu_gotchas.records.model import ControlAxis, Gotcha
from gpu_gotchas.repro.children import Children
from gpu_gotchas.repro.fetching import fetch_package
from gpu_gotchas.repro.packages import WHOLE, PackageError
from gpu_gotchas.repro.plan import Run, plan
from gpu_gotchas.repro.probe import Probe, Role, Tier
from gpu_gotchas.repro.results import Result
from gpu_gotchas.repro.runner import Runner
from gpu_gotchas.repro.source import Repro
from gpu_gotchas.repro.sweeping import Release, Shown, shown

NOBODY = Machine()
"""A machine of which nothing is known: no probe of a sweep needs a card."""


class NothingToAsk(LookupError):
    """The record has no probe that asks this package. The message says what would be right."""


class Sweep:
    """One record and one package. A context manager that leaves no process behind.

    targets: names of those to ask about, empty for all that the record claims. report: results are written
    there as they come. Raises NothingToAsk.
    """

    def __init__(
        self,
        gotcha: Gotcha,
        repro: Repro,
        package: str,
        *,
        gotchas: Sequence[Gotcha],
        targets: Collection[str] = (),
        report: Path | None = None,
    ) -> None:
        self._gotcha, self._repro, self._package = gotcha, repro, package
        self._targets, self._report = targets, report
        if not list(self._runs("0")):
            tier = "logic or compile" if package in WHOLE else "package"
            raise NothingToAsk(f"{gotcha.id} has no {tier} probe that could be asked of {package}")
        self._children = Children()
        self._runner = Runner(self._children, knowledge(gotchas))

    def __enter__(self) -> Sweep:
        return self

    def __exit__(self, *_: object) -> None:
        self._children.close()

    def ask(self, version: str) -> tuple[Release, list[Result]]:
        """Fetch a release and run the bug on it. What cannot be had is unclear, because."""
        try:
            fetch_package(f"{self._package}=={version}")
        except PackageError as error:
            return Release(version, Shown.UNCLEAR, f"skipped, because {error}"), []
        results = [self._runner.run(run) for run in self._runs(version)]
        if self._report:
            with self._report.open("a", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{result.to_json()}\n" for result in results)
        return shown(version, results), results

    def _runs(self, version: str) -> Iterator[Run]:
        tiers = (Tier.LOGIC, Tier.COMPILE) if self._package in WHOLE else (Tier.PACKAGE,)
        for run in plan(self._gotcha, self._repro, NOBODY, package=f"{self._package}=={version}"):
            if not isinstance(run, Run) or run.tier not in tiers or not self._is_asked(run):
                continue
            if run.probe is Probe.BUG and (not self._targets or run.target_name in self._targets):
                yield run

    def _is_asked(self, run: Run) -> bool:
        """Controls on other cards say nothing of a release; where another release is the control, it does."""
        return run.role is Role.AFFECTED or self._gotcha.control is ControlAxis.VERSION

"""One pytest run over the base: what was asked for, what there is to run, and the means to run it."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gpu_gotchas.hardware.catalogue import targets
from gpu_gotchas.hardware.description import read_machine
from gpu_gotchas.hardware.detect import this_machine
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.proving.knowledge import knowledge
from gpu_gotchas.records.loading import load_all
from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.children import Children
from gpu_gotchas.repro.plan import NotRun, Run, plan
from gpu_gotchas.repro.probe import Tier
from gpu_gotchas.repro.runner import Runner
from gpu_gotchas.repro.source import read_repro


class AskedWrongly(ValueError):
    """An option that names nothing we know. The message says what would be right."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The options. ids, tiers, targets: empty for all. timeout: seconds for one probe, None for as long as its repro needs.

    hardware: a file that describes the machine. package: `name==version` for the package tier.
    """

    ids: tuple[str, ...] = ()
    tiers: tuple[Tier, ...] = ()
    targets: tuple[str, ...] = ()
    timeout: float | None = None
    hardware: Path | None = None
    package: str | None = None


class Session:
    """Records, machine and runner, each made when it is first needed."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.gotchas = load_all()
        for id_ in asked.ids:
            _check_known(
                id_, [name for gotcha in self.gotchas for name in (gotcha.id, *gotcha.aliases)], "gotcha"
            )
        for name in asked.targets:
            if name != "cpu":
                _check_known(name, [target.name for target in targets()], "target")

    @cached_property
    def machine(self) -> Machine:
        return read_machine(self.asked.hardware) if self.asked.hardware else this_machine()

    @cached_property
    def _children(self) -> Children:
        return Children()

    @cached_property
    def runner(self) -> Runner:
        return Runner(self._children, knowledge(self.gotchas), described=self.machine.described, timeout=self.asked.timeout)

    @property
    def wanted(self) -> Sequence[Gotcha]:
        """The records that were asked for, all of them by default."""
        ids = set(self.asked.ids)
        return [gotcha for gotcha in self.gotchas if not ids or ids & {gotcha.id, *gotcha.aliases}]

    def planned(self, gotcha: Gotcha) -> list[Run | NotRun]:
        """The runs of one record that were asked for; none for a record without a repro."""
        repro = read_repro(gotcha.path)
        if repro is None or gotcha.status.withdrawn:
            return []
        by_name = bool({gotcha.id, *gotcha.aliases} & set(self.asked.ids))
        runs = plan(gotcha, repro, self.machine, package=self.asked.package, by_name=by_name)
        return [run for run in runs if self._is_wanted(run)]

    def _is_wanted(self, run: Run | NotRun) -> bool:
        if self.asked.tiers and run.tier not in self.asked.tiers:
            return False
        return not self.asked.targets or (isinstance(run, Run) and run.target_name in self.asked.targets)

    def close(self) -> None:
        if "_children" in self.__dict__:
            self._children.close()


def _check_known(name: str, known: Collection[str], what: str) -> None:
    if name in known:
        return
    close = difflib.get_close_matches(name, known, n=1)
    hint = f", did you mean {close[0]}?" if close else ""
    raise AskedWrongly(f"no {what} is called {name}{hint}")

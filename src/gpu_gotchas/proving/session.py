"""One pytest run over the base: what there is to run of what was asked for, and the means to run it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from gpu_gotchas.hardware.description import read_machine
from gpu_gotchas.hardware.detect import this_machine
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.proving.knowledge import knowledge
from gpu_gotchas.proving.options import Asked, check_ids
from gpu_gotchas.records.loading import load_all
from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.children import Children
from gpu_gotchas.repro.plan import NotRun, Run, plan
from gpu_gotchas.repro.runner import Runner
from gpu_gotchas.repro.source import read_repro


class Session:
    """Records, their repros, machine and runner. The last two are made when they are first needed.

    Raises AskedWrongly for unknown ids, RecordErrors and ReproError for what is broken in the base, and what
    `read_machine` raises.
    """

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.gotchas = load_all()
        check_ids(asked.ids, self.gotchas)
        self._repros = {gotcha.id: read_repro(gotcha.path) for gotcha in self.wanted}
        self._described = read_machine(asked.hardware) if asked.hardware else None

    @cached_property
    def machine(self) -> Machine:
        return self._described or this_machine()

    @cached_property
    def _children(self) -> Children:
        return Children()

    @cached_property
    def runner(self) -> Runner:
        return Runner(
            self._children,
            knowledge(self.gotchas),
            timeout=self.asked.timeout,
            described=self._described is not None,
        )

    @property
    def wanted(self) -> Sequence[Gotcha]:
        """The records that were asked for, all of them by default."""
        return [gotcha for gotcha in self.gotchas if not self.asked.ids or self._is_named(gotcha)]

    def planned(self, gotcha: Gotcha) -> list[Run | NotRun]:
        """The runs of one record that were asked for; none for a record without a repro."""
        repro = self._repros[gotcha.id]
        if repro is None or gotcha.status.withdrawn:
            return []
        named = self._is_named(gotcha)
        runs = plan(gotcha, repro, self.machine, package=self.asked.package, by_name=named)
        return [run for run in runs if self._is_wanted(run)]

    def _is_named(self, gotcha: Gotcha) -> bool:
        return bool({gotcha.id, *gotcha.aliases} & set(self.asked.ids))

    def _is_wanted(self, run: Run | NotRun) -> bool:
        tiers, targets = self.asked.tiers, self.asked.targets
        if tiers and run.tier not in tiers:
            return False
        if isinstance(run, NotRun):
            # Why a tier cannot run is told to whoever asked for it, also when a target was named.
            return bool(tiers) or not targets
        return not targets or run.target_name in targets

    def close(self) -> None:
        """End what was started."""
        if "_children" in self.__dict__:
            self._children.close()

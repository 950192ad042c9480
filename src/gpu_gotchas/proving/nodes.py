"""pytest nodes: a folder for each gotcha, an item for each run of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gpu_gotchas.proving.session import Session
from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.plan import NotRun, Run
from gpu_gotchas.repro.results import Result

RESULT = "gpu_gotchas_result"


class GotchaFailed(Exception):
    """A run that speaks against its record."""

    def __init__(self, result: Result) -> None:
        self.result = result
        super().__init__(result.reason)


class GotchaFolder(pytest.Directory):
    """The folder of one gotcha. Its name is the id, so node ids read `gotchas/<id>::bug[compile-sm_86]`."""

    gotcha: Gotcha
    session_of_ours: Session

    @classmethod
    def of(cls, parent: Any, gotcha: Gotcha, session: Session) -> GotchaFolder:
        node_id = f"gotchas/{gotcha.id}"
        folder: GotchaFolder = cls.from_parent(parent, path=gotcha.path, name=gotcha.id, nodeid=node_id)
        folder.gotcha, folder.session_of_ours = gotcha, session
        return folder

    def collect(self) -> Iterator[GotchaItem]:
        for planned in self.session_of_ours.planned(self.gotcha):
            yield GotchaItem.of(self, planned)


class GotchaItem(pytest.Item):
    """One run. It passes, fails or is skipped as its outcome says."""

    planned: Run | NotRun
    # What a project's own conftest reads of every item, a test function's or not.
    cls = None
    fixturenames: tuple[str, ...] = ()

    @property
    def function(self) -> Callable[[], None]:
        return self.runtest

    @classmethod
    def of(cls, parent: GotchaFolder, planned: Run | NotRun) -> GotchaItem:
        item: GotchaItem = cls.from_parent(parent, name=planned.name)
        item.planned = planned
        # pytest matches -k against folders, but not against the outermost, which ours may be.
        item.extra_keyword_matches.add(planned.gotcha.id)
        return item

    def runtest(self) -> None:
        assert isinstance(self.parent, GotchaFolder)
        result = self.parent.session_of_ours.runner.run(self.planned)
        self.user_properties.append((RESULT, result.to_json()))
        strict = self.config.getoption("gotcha_strict") and result.outcome is Outcome.INCONCLUSIVE
        if result.outcome.failed or strict:
            raise GotchaFailed(result)
        if not result.outcome.passed:
            pytest.skip(f"{result.outcome.value}: {result.reason}")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, GotchaFailed):
            return explain(self.planned.gotcha, excinfo.value.result)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.path / "repro.py", 0, self.nodeid


def explain(gotcha: Gotcha, result: Result) -> str:
    """Why a run speaks against its record: what was expected, what was seen, where to look."""
    expected = [line for signature in gotcha.symptom.signatures for line in signature.lines]
    if gotcha.symptom.observable:
        observable = gotcha.symptom.observable
        expected.append(f"{observable.quantity} {observable.bad} {observable.unit}".rstrip())
    return "\n".join(
        [
            f"{gotcha.id}: {result.probe.value} on {result.target} ({result.tier.value}) came out "
            f"{result.outcome.value}",
            f"  role      {result.role.value}",
            *(f"  symptom   {line}" for line in expected or [gotcha.symptom.summary]),
            *(f"  seen      {line}" for line in result.reason.splitlines()),
            f"  record    {gotcha.path / 'gotcha.yaml'}",
        ]
    )

"""What pytest calls, once somebody has asked for gotchas."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gpu_gotchas.proving.nodes import RESULT, GotchaFolder
from gpu_gotchas.proving.options import asked
from gpu_gotchas.proving.session import Session
from gpu_gotchas.proving.summary import header, table
from gpu_gotchas.records.problems import RecordErrors
from gpu_gotchas.records.root import is_checkout, root
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.results import Result, parse_result


class Hooks:
    """The hooks of one run. Results are gathered where reports arrive: here, or in xdist's controller.

    Raises pytest.UsageError for what was asked wrongly, and for records that cannot be loaded.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._results: list[Result] = []
        self._gathers = not hasattr(config, "workerinput")
        self._report: Path | None = config.getoption("gotcha_report")
        self._strict: bool = config.getoption("gotcha_strict")
        try:
            self._ours = Session(asked(config))
            if self._report and self._gathers and not config.getoption("collectonly"):
                self._report.parent.mkdir(parents=True, exist_ok=True)
                self._report.write_text("")
        except (ValueError, OSError, RecordErrors) as error:
            raise pytest.UsageError(str(error)) from error

    def pytest_report_header(self) -> list[str]:
        return header(self._ours.machine)

    def pytest_report_collectionfinish(self) -> list[str]:
        """What a run is about is told also where pytest's own header is not wanted."""
        return header(self._ours.machine) if self._config.getoption("no_header") else []

    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Where records lie in the project under test, a folder of theirs is collected as what it is."""
        if not (path / "gotcha.yaml").is_file() or path.resolve().parent != root().resolve():
            return None
        found = [gotcha for gotcha in self._ours.wanted if gotcha.id == path.name]
        return GotchaFolder.of(parent, found[0], self._ours) if found else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Elsewhere they are added to what the project has itself, before anybody sorts or deselects."""
        if is_checkout() and self._paths_choose():
            return
        for gotcha in self._ours.wanted:
            folder = GotchaFolder.of(session, gotcha, self._ours)
            found = list(folder.collect())
            items += found
            # So that what pytest counts as collected is what it runs.
            report = pytest.CollectReport(folder.nodeid, "passed", None, list(found))
            self._config.hook.pytest_collectreport(report=report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" or not self._gathers:
            return
        lines = [str(value) for name, value in report.user_properties if name == RESULT]
        self._results += map(parse_result, lines)
        if lines and self._report:
            # Opened anew each time: whatever ends the run, finished results are on disk.
            with self._report.open("a", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{line}\n" for line in lines)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._results:
            terminalreporter.section("gotchas")
            for line in table(self._results):
                terminalreporter.write_line(line)
        for tier in self._idle():
            terminalreporter.write_line(f"gotchas: the {tier} tier was asked for and ran nothing", red=True)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not session.exitstatus and any(self._idle()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """A run is told by its outcome, which says more than that it passed."""
        lines = [str(value) for name, value in report.user_properties if name == RESULT]
        if report.when != "call" or not lines:
            return None
        letter = {"passed": ".", "failed": "F", "skipped": "s"}[report.outcome]
        return report.outcome, letter, parse_result(lines[0]).outcome.value

    def pytest_unconfigure(self) -> None:
        self._ours.close()

    def _paths_choose(self) -> bool:
        """Whether this is our own working copy, where records below the paths to collect from are collected.

        An empty folder elsewhere, as `gotchas run` gives it, chooses nothing.
        """
        ours, here = root().resolve().parent, self._config.invocation_params.dir
        places = ((here / argument.partition("::")[0]).resolve() for argument in self._config.args)
        in_place = self._config.rootpath.resolve() == ours
        return in_place and any(place.is_relative_to(ours) for place in places)

    def _idle(self) -> Iterator[str]:
        """Tiers that were asked for and ran nothing, where that fails."""
        if self._strict and self._gathers and not self._config.getoption("collectonly"):
            ran = {result.tier for result in self._results if result.outcome is not Outcome.SKIPPED}
            yield from (tier.value for tier in self._ours.asked.tiers if tier not in ran)

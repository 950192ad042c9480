"""The pytest entry point. Loaded in every project that has gpu-gotchas installed, so it imports nothing
beyond the standard library and pytest until somebody asks for gotchas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gpu_gotchas.proving.session import Session

_SESSION = pytest.StashKey["Session"]()
_PROPERTY = "gpu_gotchas_result"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gotchas", "gpu-gotchas: prove GPU failures and their fixes on this machine")
    add = group.addoption
    add("--gotchas", action="store_true", help="run the repros of the knowledge base")
    add("--gotcha", action="append", default=[], metavar="ID", help="only this gotcha (repeatable)")
    add(
        "--gotcha-tier",
        action="append",
        default=[],
        metavar="T",
        help="only this tier: logic, compile, package, device (repeatable)",
    )
    add(
        "--gotcha-target",
        action="append",
        default=[],
        metavar="T",
        help="only this target, such as sm_86 (repeatable)",
    )
    add("--gotcha-report", type=Path, metavar="FILE", help="write results to FILE, one line each")
    add(
        "--gotcha-strict",
        action="store_true",
        help="fail what is inconclusive, and a tier that was asked for and ran nothing",
    )
    add("--gotcha-timeout", type=float, metavar="S", help="seconds that one probe may take")
    add(
        "--gotcha-hardware",
        type=Path,
        metavar="FILE",
        help="a file that describes the machine; the device tier is off then",
    )
    add("--gotcha-package", metavar="NAME==VERSION", help="upstream release for the package tier")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Recorder(config), "gpu-gotchas-recorder")
    if config.getoption("gotchas") or config.getoption("gotcha"):
        report = config.getoption("gotcha_report")
        if report and not hasattr(config, "workerinput"):
            report.parent.mkdir(parents=True, exist_ok=True)
            report.write_text("")
        _session(config)


def _session(config: pytest.Config) -> Session:
    """The session of ours, made on first use; what was asked wrongly is a usage error."""
    if _SESSION not in config.stash:
        from gpu_gotchas.proving.session import Asked, Session
        from gpu_gotchas.records.problems import RecordErrors
        from gpu_gotchas.repro.probe import Tier

        option = config.getoption
        try:
            asked = Asked(
                ids=tuple(option("gotcha")),
                tiers=tuple(Tier(tier) for tier in option("gotcha_tier")),
                targets=tuple(option("gotcha_target")),
                timeout=option("gotcha_timeout"),
                hardware=option("gotcha_hardware"),
                package=option("gotcha_package"),
            )
            config.stash[_SESSION] = Session(asked)
        except (ValueError, OSError, RecordErrors) as error:
            raise pytest.UsageError(str(error)) from error
    return config.stash[_SESSION]


def pytest_report_header(config: pytest.Config) -> list[str]:
    if _SESSION not in config.stash:
        return []
    from gpu_gotchas.proving.summary import header

    return header(config.stash[_SESSION].machine)


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """In our own working copy, a folder of gotchas/ is collected as what it is."""
    if path.parent.name != "gotchas" or not (path / "gotcha.yaml").is_file():
        return None
    from gpu_gotchas.records.root import root

    if path.parent != root():
        return None
    return _folder(parent, path.name)


def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    if not (config.getoption("gotchas") or config.getoption("gotcha")):
        return
    there = {item.nodeid for item in items}
    for gotcha in _session(config).wanted:
        for item in _folder(session, gotcha.id).collect():
            if isinstance(item, pytest.Item) and item.nodeid not in there:
                items.append(item)


def _folder(parent: Any, id_: str) -> pytest.Collector:
    from gpu_gotchas.proving.nodes import GotchaFolder

    ours = _session(parent.config)
    gotcha = next(gotcha for gotcha in ours.gotchas if gotcha.id == id_)
    return GotchaFolder.of(parent, gotcha, ours)


class _Recorder:
    """Gathers results where reports arrive: in the one process, or in the controller of several."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._lines: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call":
            return
        lines = [str(value) for name, value in report.user_properties if name == _PROPERTY]
        self._lines += lines
        path = self._config.getoption("gotcha_report")
        if lines and path and not hasattr(self._config, "workerinput"):
            # Opened anew each time: whatever ends the run, finished results are on disk.
            with path.open("a", encoding="utf-8") as report_file:
                report_file.writelines(f"{line}\n" for line in lines)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self._lines:
            return
        from gpu_gotchas.proving.summary import table
        from gpu_gotchas.repro.results import parse_result

        terminalreporter.section("gotchas")
        for line in table(map(parse_result, self._lines)):
            terminalreporter.write_line(line)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        option = self._config.getoption
        if not (option("gotcha_strict") and option("gotcha_tier")) or hasattr(self._config, "workerinput"):
            return
        from gpu_gotchas.repro.results import parse_result

        ran = {
            result.tier.value
            for result in map(parse_result, self._lines)
            if result.outcome.value != "skipped"
        }
        idle = [tier for tier in option("gotcha_tier") if tier not in ran]
        if idle and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            reporter = self._config.pluginmanager.get_plugin("terminalreporter")
            if reporter:
                reporter.write_line(f"gotchas: asked for and ran nothing: {', '.join(idle)}", red=True)

    def pytest_unconfigure(self) -> None:
        if _SESSION in self._config.stash:
            self._config.stash[_SESSION].close()

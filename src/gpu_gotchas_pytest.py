"""The pytest entry point. Loaded in every project that has gpu-gotchas installed, so it imports nothing
beyond the standard library and pytest until somebody asks for gotchas."""

from __future__ import annotations

from pathlib import Path

import pytest

OPTIONS = (
    "gotchas",
    "gotcha",
    "gotcha_tier",
    "gotcha_target",
    "gotcha_report",
    "gotcha_strict",
    "gotcha_timeout",
    "gotcha_hardware",
    "gotcha_package",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gotchas", "gpu-gotchas: prove GPU failures and their fixes on this machine")
    add = group.addoption
    add(
        "--gotchas",
        action="store_true",
        help="run the repros of the knowledge base; options below imply it",
    )
    add("--gotcha", action="append", default=[], metavar="ID", help="only this gotcha (repeatable)")
    add(
        "--gotcha-tier",
        action="append",
        default=[],
        metavar="TIER",
        help="only this tier: logic, compile, package, device (repeatable)",
    )
    add(
        "--gotcha-target",
        action="append",
        default=[],
        metavar="TARGET",
        help="only this target, such as sm_86, 8.6 or RTX 3090 (repeatable)",
    )
    add("--gotcha-report", type=Path, metavar="FILE", help="write results to FILE, one line each")
    add(
        "--gotcha-strict",
        action="store_true",
        help="fail what is inconclusive, and a tier that was asked for and ran nothing",
    )
    add(
        "--gotcha-timeout",
        type=float,
        metavar="SECONDS",
        help="seconds that one probe may take (default: what its repro needs, at least 120)",
    )
    add(
        "--gotcha-hardware",
        type=Path,
        metavar="FILE",
        help="a file that describes the machine; the device tier is off then",
    )
    add("--gotcha-package", metavar="NAME==VERSION", help="upstream release for the package tier")


def pytest_configure(config: pytest.Config) -> None:
    values = (config.getoption(name) for name in OPTIONS)
    if any(value is not None and value is not False and value != [] for value in values):
        from gpu_gotchas.proving.hooks import Hooks

        config.pluginmanager.register(Hooks(config), "gpu-gotchas-hooks")

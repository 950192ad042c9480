"""The pytest entry point. Loaded in every project that has gpu-gotchas installed, so it imports nothing
beyond the standard library and pytest until somebody asks for gotchas."""

from __future__ import annotations

from pathlib import Path

import pytest


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
    add(
        "--gotcha-timeout",
        type=float,
        metavar="S",
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
    if config.getoption("gotchas") or config.getoption("gotcha"):
        from gpu_gotchas.proving.hooks import Hooks

        config.pluginmanager.register(Hooks(config), "gpu-gotchas-hooks")

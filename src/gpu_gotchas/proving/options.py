"""From pytest's options to what was asked for. What cannot be meant is refused with what would be right."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpu_gotchas.hardware.catalogue import UnknownName, find_target
from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.packages import PackageError, parse_release
from gpu_gotchas.repro.probe import CPU, Tier


class AskedWrongly(ValueError):
    """An option that names nothing we know. The message says what would be right."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The options. ids, tiers, targets: empty for all. timeout: seconds for one probe, None for its own need.

    hardware: a file that describes the machine. package: `name==version` for the package tier.
    """

    ids: tuple[str, ...] = ()
    tiers: tuple[Tier, ...] = ()
    targets: tuple[str, ...] = ()
    timeout: float | None = None
    hardware: Path | None = None
    package: str | None = None


def asked(config: pytest.Config) -> Asked:
    """Raises AskedWrongly."""
    option = config.getoption
    timeout, package = option("gotcha_timeout"), option("gotcha_package")
    if timeout is not None and not (math.isfinite(timeout) and timeout > 0):
        raise AskedWrongly(f"--gotcha-timeout wants a number of seconds above 0, not {timeout:g}")
    try:
        if package is not None:
            parse_release(package)
    except PackageError as error:
        raise AskedWrongly(f"--gotcha-package: {error}") from error
    tiers = [tier.value for tier in Tier]
    for name in option("gotcha_tier"):
        check_known(name, tiers, "tier", otherwise=f"there are {', '.join(tiers)}")
    return Asked(
        ids=tuple(option("gotcha")),
        tiers=tuple(map(Tier, option("gotcha_tier"))),
        targets=tuple(map(_target, option("gotcha_target"))),
        timeout=timeout,
        hardware=option("gotcha_hardware"),
        package=package,
    )


def _target(name: str) -> str:
    if name == CPU:
        return name
    try:
        return find_target(name).name
    except UnknownName as error:
        raise AskedWrongly(f"--gotcha-target: {error}") from None


def check_ids(ids: Sequence[str], gotchas: Sequence[Gotcha]) -> None:
    """Raises AskedWrongly for an id that is neither a record's nor an alias."""
    known = [name for gotcha in gotchas for name in (gotcha.id, *gotcha.aliases)]
    for name in ids:
        check_known(name, known, "gotcha", otherwise="`gotchas list` names them all")


def check_known(name: str, known: Collection[str], what: str, otherwise: str) -> None:
    """Raises AskedWrongly with the nearest known name, or else with what helps otherwise."""
    if name in known:
        return
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else otherwise
    raise AskedWrongly(f"no {what} is called {name}: {hint}")

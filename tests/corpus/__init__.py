"""Reports and healthy logs that search is measured on, as data. The one place that reads them.

The split, which `reports.yaml` keeps as the `part` of each report, goes by two rules. In the first batch: of
a cause with several reports the newest is only measured on (by date, an undated capture counting as newest,
then by id); a cause with a single report is kept out of the base altogether when the first byte of the
SHA-256 of its name is below 26, so that what search does not know is measured too. The rest may be built on.

Reports that came later are the second batch, and leave the first one's parts as they are. When the first byte
of its id's SHA-256 is below 128, one is `fresh`: only measured on, like `measure`, and no signature was
taken from it. The rest may be built on. All of them have a cause that is in the base.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

HERE = Path(__file__).parent
BUILD, MEASURE, FRESH, UNKNOWN, NEGATIVE = "build", "measure", "fresh", "unknown", "negative"
_KEPT_OUT_BELOW = 26
_FRESH_BELOW = 128


@dataclass(frozen=True, slots=True)
class Report:
    """One public account of a failure. cause: None where it is no gotcha; batch: 2 or 3 if later."""

    id: str
    part: str
    cause: str | None
    family: str
    url: str | None
    date: str | None
    title: str | None
    hardware: Mapping[str, str | None] | None
    software: str | None
    text_basis: str
    error_text: str
    batch: int = 1


@dataclass(frozen=True, slots=True)
class HealthyLog:
    """A log without a failure. origin: `captured`, `rendered` or `invented`; source: what it shows."""

    name: str
    origin: str
    source: str
    text: str


@cache
def reports() -> tuple[Report, ...]:
    """Every report, as the file has them."""
    raw = yaml.load((HERE / "reports.yaml").read_text("utf-8"), _Loader)
    return tuple(Report(**row) for row in raw)


def part(name: str) -> tuple[Report, ...]:
    """The reports of one part: BUILD, MEASURE, FRESH, UNKNOWN or NEGATIVE."""
    return tuple(report for report in reports() if report.part == name)


@cache
def causes() -> dict[str, str]:
    """From each cause to the gotcha or candidate that covers it. A cause that none covers is absent."""
    raw = yaml.load((HERE / "causes.yaml").read_text("utf-8"), _Loader)
    return {cause: name for cause, name in raw.items() if name}


@cache
def healthy_logs() -> tuple[HealthyLog, ...]:
    """Every log of `healthy/`, by name."""
    index = yaml.load((HERE / "healthy" / "index.yaml").read_text("utf-8"), _Loader)
    return tuple(
        HealthyLog(name, told["origin"], told["source"], (HERE / "healthy" / name).read_text("utf-8"))
        for name, told in sorted(index.items())
    )


def split(all_reports: Iterable[Report]) -> dict[str, str]:
    """Each report's id to its part, by the rule above."""
    parts: dict[str, str] = {}
    by_cause: dict[str | None, list[Report]] = defaultdict(list)
    for report in all_reports:
        if report.batch == 1:
            by_cause[report.cause].append(report)
        elif report.batch == 2 and _first_byte(report.id) < _FRESH_BELOW:
            parts[report.id] = FRESH
        else:
            parts[report.id] = BUILD
    parts |= {report.id: NEGATIVE for report in by_cause.pop(None, [])}
    for cause, found in by_cause.items():
        *older, newest = sorted(found, key=lambda report: (str(report.date), report.id))
        parts |= {report.id: BUILD for report in older}
        kept_out = _first_byte(str(cause)) < _KEPT_OUT_BELOW
        parts[newest.id] = MEASURE if older else UNKNOWN if kept_out else BUILD
    return parts


def _first_byte(name: str) -> int:
    return hashlib.sha256(name.encode()).digest()[0]


_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

"""How many people met a failure, counted from their reports."""

from __future__ import annotations

from collections.abc import Iterable

from gpu_gotchas.records.model import Report


def count_reporters(reports: Iterable[Report]) -> int:
    """People whose latest report says `reproduces`; of two on one day the later in the list counts.

    A report without a name is nobody's: two of them may be one person.
    """
    latest: dict[str, Report] = {}
    for report in reports:
        if report.by is None:
            continue
        before = latest.get(report.by)
        if before is None or report.date >= before.date:
            latest[report.by] = report
    return sum(report.says == "reproduces" for report in latest.values())

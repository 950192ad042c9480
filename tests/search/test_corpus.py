"""The corpus is what it says it is."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from tests.corpus import BUILD, FRESH, HERE, MEASURE, causes, healthy_logs, part, reports, split
from tests.corpus.noise import KINDS, noisy


def test_each_report_lies_in_the_part_that_the_rule_gives_it() -> None:
    assert {report.id: report.part for report in reports()} == split(reports())


def test_reports_that_come_later_move_no_earlier_one() -> None:
    first = [report for report in reports() if report.batch == 1]
    of_first = split(first)
    later = [replace(report, id=f"later-{report.id}", batch=2, date="2099-01-01") for report in first]
    both = split([*first, *later])
    assert {name: both[name] for name in of_first} == of_first
    fresh = sum(both[report.id] == FRESH for report in later)
    assert len(later) / 3 < fresh < len(later) * 2 / 3
    assert {both[report.id] for report in later} == {BUILD, FRESH}


def test_what_came_later_has_a_cause_that_is_in_the_base() -> None:
    assert {report.id for report in reports() if report.batch > 1 and report.cause not in causes()} == set()


def test_what_is_measured_has_something_to_be_found_from() -> None:
    built_on = {report.cause for report in part(BUILD)}
    assert {report.cause for report in part(MEASURE)} <= built_on


def test_reports_are_told_apart_and_say_where_they_are_from() -> None:
    assert max(Counter(report.id for report in reports()).values()) == 1
    assert all(report.url is None or report.url.startswith("https://") for report in reports())
    assert {report.batch for report in reports()} <= {1, 2, 3}
    assert all(report.url and report.date for report in reports() if report.batch > 1)
    assert all(report.error_text.strip() for report in reports())


def test_every_cause_that_was_built_on_is_mapped_and_none_without_a_report() -> None:
    assert {report.cause for report in part(BUILD)} <= set(causes())
    assert set(causes()) <= {report.cause for report in (*part(BUILD), *part(FRESH))}


def test_there_are_fifty_healthy_logs_and_few_are_invented() -> None:
    logs = healthy_logs()
    assert len(logs) >= 50
    assert sum(log.origin == "invented" for log in logs) <= len(logs) / 3
    assert {log.name for log in logs} == {path.name for path in (HERE / "healthy").glob("*.log")}
    assert {log.origin for log in logs} == {"captured", "rendered", "invented"}


def test_healthy_logs_name_no_place_of_ours() -> None:
    place = re.compile(r"/(?:root|work)/|\b(?:10|172|192\.168)\.\d+\.\d+\.\d+\b")
    assert [log.name for log in healthy_logs() if place.search(log.text)] == []


def test_noise_is_repeatable() -> None:
    text = part(BUILD)[0].error_text
    assert all(noisy(kind, text, 1) == noisy(kind, text, 1) for kind in KINDS)

"""The corpus is what it says it is."""

from __future__ import annotations

import re
from collections import Counter

from tests.corpus import BUILD, HERE, MEASURE, causes, healthy_logs, part, reports, split
from tests.corpus.noise import KINDS, noisy


def test_each_report_lies_in_the_part_that_the_rule_gives_it() -> None:
    assert {report.id: report.part for report in reports()} == split(reports())


def test_what_is_measured_has_something_to_be_found_from() -> None:
    built_on = {report.cause for report in part(BUILD)}
    assert {report.cause for report in part(MEASURE)} <= built_on


def test_reports_are_told_apart_and_say_where_they_are_from() -> None:
    assert max(Counter(report.id for report in reports()).values()) == 1
    assert all(report.url is None or report.url.startswith("https://") for report in reports())
    assert all(report.error_text.strip() for report in reports())


def test_every_cause_that_was_built_on_is_mapped() -> None:
    assert {report.cause for report in part(BUILD)} == set(causes())


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

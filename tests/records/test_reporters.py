from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.records.model import Report
from gpu_gotchas.records.reporters import count_reporters


def report(by: str | None, date: str, says: str) -> Report:
    return Report("https://example.org", by, date, (), says)


def test_a_person_counts_once_and_by_their_latest_word() -> None:
    reports = [
        report("a", "2026-01-02", "withdrawn"),
        report("a", "2026-01-01", "reproduces"),
        report("b", "2026-01-01", "does-not-reproduce"),
        report("b", "2026-01-03", "reproduces"),
        report("b", "2026-01-04", "reproduces"),
    ]
    assert count_reporters(reports) == 1


def test_of_one_day_the_later_in_the_list_counts() -> None:
    first, second = report("a", "2026-01-01", "reproduces"), report("a", "2026-01-01", "withdrawn")
    assert count_reporters([first, second]) == 0
    assert count_reporters([second, first]) == 1


def test_a_report_without_a_name_counts_nobody() -> None:
    nobodys = [report(None, "2026-01-01", "reproduces"), report(None, "2026", "withdrawn")]
    assert count_reporters(nobodys) == 0
    assert count_reporters([*nobodys, report("a", "2026-01", "reproduces")]) == 1


reports = st.builds(
    report,
    st.sampled_from("abc"),
    st.dates().map(lambda day: day.isoformat()),
    st.sampled_from(["reproduces", "does-not-reproduce", "withdrawn"]),
)


@given(st.lists(reports, unique_by=lambda each: (each.by, each.date)), st.randoms(use_true_random=False))
def test_without_ties_the_order_does_not_matter(listed: list[Report], random) -> None:  # type: ignore[no-untyped-def]
    counted = count_reporters(listed)
    random.shuffle(listed)
    assert count_reporters(listed) == counted
    assert counted <= len({each.by for each in listed})

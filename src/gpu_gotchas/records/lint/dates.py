"""Rules about days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise

from gpu_gotchas.records.lint.base import Base, Entry, Finding, each_entry, each_entry_in_base, each_gotcha
from gpu_gotchas.records.lint.places import dates
from gpu_gotchas.records.model import Gotcha


def day(text: str) -> date | None:
    """The day, or the first one of a month or year."""
    try:
        return date.fromisoformat(text + "0000-01-01"[len(text) :])
    except ValueError:
        return None


@each_entry
def dates_are_real(entry: Entry) -> Iterator[Finding]:
    """A day that does not exist is a slip of the pen, and everything that sorts by it is wrong."""
    for place, text in dates(entry):
        if day(text) is None:
            yield Finding(place, f"{text} is no day of the calendar")


@each_entry_in_base
def dates_are_past(entry: Entry, base: Base) -> Iterator[Finding]:
    """Nothing was reported or looked up tomorrow. One day is allowed for time zones."""
    for place, text in dates(entry):
        found = day(text)
        if found and found > base.today + timedelta(days=1):
            yield Finding(place, f"{text} lies in the future")


@each_gotcha
def history_is_in_order(gotcha: Gotcha) -> Iterator[Finding]:
    """A history is read from the oldest entry to the newest."""
    for number, (older, newer) in enumerate(pairwise(gotcha.history), start=1):
        if newer.date < older.date:
            yield Finding(
                f"history[{number}].date", f"{newer.date} follows {older.date}: put the oldest first"
            )


@each_gotcha
def history_begins_after_the_record(gotcha: Gotcha) -> Iterator[Finding]:
    """What a record said can only have changed once there was a record."""
    if gotcha.history and gotcha.history[0].date < gotcha.added:
        yield Finding(
            "history[0].date", f"{gotcha.history[0].date} lies before the record was added, {gotcha.added}"
        )

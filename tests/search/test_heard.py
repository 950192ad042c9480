"""The reports behind the index are those that may be built on, and no others."""

from __future__ import annotations

import os

from gpu_gotchas.records.loading import HEARD, load_heard
from gpu_gotchas.records.root import root
from tests.corpus import MEASURE, NEGATIVE, UNKNOWN, part
from tests.corpus.heard import document, heard


def test_what_was_heard_is_what_may_be_built_on() -> None:
    path = root() / HEARD
    if os.environ.get("GOTCHAS_UPDATE_GOLDEN"):
        path.write_text(document(), "utf-8", newline="\n")
    kept = [(one.of, one.url, one.text.rstrip("\n")) for one in load_heard()]
    assert kept == [(one.of, one.url, one.text) for one in heard()]


def test_nothing_that_is_only_measured_on_was_heard() -> None:
    heard_at = {one.url for one in load_heard() if one.url}
    hidden = {report.url for name in (MEASURE, UNKNOWN, NEGATIVE) for report in part(name) if report.url}
    assert heard_at.isdisjoint(hidden)

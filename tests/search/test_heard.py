"""The reports behind the index are those that may be built on, and no others."""

from __future__ import annotations

import os

from gpu_gotchas.records.loading import HEARD, load_all, load_candidates, load_heard
from gpu_gotchas.records.root import root
from tests.corpus import FRESH, MEASURE, NEGATIVE, UNKNOWN, part
from tests.corpus.heard import document, heard


def test_what_was_heard_is_what_may_be_built_on() -> None:
    path = root() / HEARD
    if os.environ.get("GOTCHAS_UPDATE_GOLDEN"):
        path.write_text(document(), "utf-8", newline="\n")
    kept = [(one.of, one.url, one.text.rstrip("\n")) for one in load_heard()]
    assert kept == [(one.of, one.url, one.text) for one in heard()]


def test_nothing_that_is_only_measured_on_was_heard() -> None:
    heard_at = {one.url for one in load_heard() if one.url}
    only_measured = (MEASURE, FRESH, UNKNOWN, NEGATIVE)
    hidden = {report.url for name in only_measured for report in part(name) if report.url}
    assert heard_at.isdisjoint(hidden)


def test_no_signature_rests_on_a_fresh_report() -> None:
    fresh = {report.url for report in part(FRESH)}
    signatures = [(one.id, signature) for one in load_all() for signature in one.symptom.signatures]
    signatures += [(one.id, signature) for one in load_candidates() for signature in one.signatures]
    assert [name for name, signature in signatures if signature.basis_url in fresh] == []

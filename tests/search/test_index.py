from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.search.build import build_index
from gpu_gotchas.search.index import FORMAT, Index, IndexDamaged, render

HEAD = {
    **{"date": "2026-11-30", "stamp": None, "ids": [], "aliases": {}, "literals": {}},
    **{"reports": [], "settings": {}},
}


def test_it_is_ordinary_json_that_says_its_licences(samples) -> None:
    document = json.loads(build_index(samples))
    assert document["format"] == FORMAT
    assert document["head"]["licences"] == {
        "code": "Apache-2.0",
        "records": "CC0-1.0",
        "results": "CC0-1.0",
        "index": "CC0-1.0",
    }
    assert "sample-page-size" in document["records"]


@given(st.dictionaries(st.text(min_size=1, max_size=8), st.integers(), max_size=30))
def test_every_entry_is_found_and_no_other(table: dict[str, int]) -> None:
    postings = {word: [[0, value]] for word, value in table.items()}
    ranked, alike = Index(render(HEAD, {}, postings, {})), Index(render(HEAD, {}, {}, postings))
    for word, value in table.items():
        assert ranked.postings(word) == alike.heard(word) == [[0, value]]
        assert ranked.heard(word) == alike.postings(word) == []
    for word in ("", "absent-word-that-is-long"):
        assert ranked.postings(word) == alike.heard(word) == []


def test_the_same_records_give_the_same_bytes(samples) -> None:
    assert build_index(samples) == build_index(samples)


@pytest.mark.parametrize("cut", [0, 1, 30, 400, -1, -40])
def test_half_an_index_is_refused(samples, cut: int) -> None:
    with pytest.raises(IndexDamaged):
        Index(build_index(samples)[:cut])


def test_another_format_is_refused(samples) -> None:
    with pytest.raises(IndexDamaged):
        Index(build_index(samples).replace(b'"format": %d' % FORMAT, b'"format": 0', 1))


def test_the_date_can_be_pinned(samples, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert Index(build_index(samples)).date == "1970-01-01"

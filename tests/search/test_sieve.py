"""Of a long log nothing that may tell is left out, and the answer is that of the whole."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu_gotchas.search import engine
from gpu_gotchas.search.engine import Search
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.lines import Line, lines_of
from gpu_gotchas.search.sieve import Sieve
from gpu_gotchas.search.trouble import is_trouble
from tests.corpus import BUILD, Report, part
from tests.corpus.noise import healthy_lines

LITERALS = ["on sm_120 today", "kernel 7", "qwerty"]
WORDS = ["sm_120", "sm_90", "on", "today", "kernel 7", "kernel 81", "qwerty", "Error", "failed", "fine", "12"]


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), max_size=80), st.integers(1, 20))
@settings(max_examples=60)
def test_no_line_that_may_tell_is_left_out(texts: list[str], size: int) -> None:
    lines = [Line(number, text) for number, text in enumerate(texts, 1)]
    sieve = Sieve(LITERALS, lines[:5])
    kept = [one for at in range(0, len(lines), size) for one in sieve.telling(lines[at : at + size])]
    assert len(kept) == len(set(kept))
    for at, line in enumerate(lines):
        if is_trouble(line.text):
            assert set(lines[max(0, at - 6) : at + 1]) <= set(kept)
        if any(literal in line.text for literal in LITERALS):
            assert line in kept


@pytest.mark.parametrize("report", part(BUILD)[::40], ids=lambda report: report.id)
def test_a_long_log_is_answered_as_if_it_were_read_in_full(
    report: Report, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(7)
    before, behind = healthy_lines(2_000, chance), healthy_lines(700, chance)
    text = f"{before}{report.error_text}\n{behind}".encode()

    def answer() -> object:
        run = Search(index)
        run.feed(lines_of([text]))
        return run.answer().to_json()

    whole = answer()
    monkeypatch.setattr(engine, "_MANY", 500)
    assert answer() == whole

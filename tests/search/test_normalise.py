from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.search.normalise import clean


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        ("\x1b[1;31mERROR\x1b[0m type fp8e4nv", "ERROR type fp8e4nv"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\ text", "link text"),
        ("a\x00b\u202ec\u200bd", "abcd"),
        ("x &lt;= y &amp;&amp; &quot;z&quot; isn&#39;t", 'x <= y && "z" isn\'t'),
        ("“type ‘fp8e4nv’”\u00a0here", "\"type 'fp8e4nv'\" here"),
        ("  a \t  b  ", "a b"),
        ("&amp;lt;", "<"),
    ],
)
def test_wrapping_is_taken_off(raw: str, meant: str) -> None:
    assert clean(raw) == meant


@pytest.mark.parametrize(
    "text",
    [
        "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.",
        "CUDA error: 700 on sm_120 with fp8_e4m3 and head_dim=256, vllm 0.19.1+cu126",
        "[Errno 98] Address already in use",
        "gfx942 gfx90a sm_121a",
    ],
)
def test_what_carries_meaning_stays(text: str) -> None:
    assert clean(text) == text


@given(st.text(max_size=200))
def test_nothing_that_moves_a_cursor_is_left_and_twice_is_as_once(text: str) -> None:
    cleaned = clean(text)
    assert not any(unicodedata.category(character) == "Cc" for character in cleaned)
    assert clean(cleaned) == cleaned


_ESCAPES = st.sampled_from(["&", "amp;", "lt;", "#39;", "&amp;", "quot;", "\x1b", "[31m", "]8;;", "\x07", " ", "\u200b", "“", "a"])


@given(st.lists(_ESCAPES, max_size=30))
def test_escapes_within_escapes_come_off_at_once(parts: list[str]) -> None:
    cleaned = clean("".join(parts))
    assert clean(cleaned) == cleaned

from __future__ import annotations

import textwrap

from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.search.joining import joined
from gpu_gotchas.search.lines import Line

MEANT = (
    "RuntimeError: type fp8e4nv is not supported on sm_120, head_dim=256, CUDA error 700, Xid 79, gfx942, "
    "float8_e4m3fn, vllm 0.19.1+cu126, Required: 147456, Hardware limit: 101376, signal 11"
)
PROTECTED = (
    "fp8e4nv",
    "sm_120",
    "head_dim=256",
    "error 700",
    "Xid 79",
    "gfx942",
    "float8_e4m3fn",
    "0.19.1+cu126",
)


def lines(texts: list[str]) -> list[Line]:
    return [Line(number, text) for number, text in enumerate(texts, start=1)]


@given(st.integers(40, 170), st.sampled_from(["", "> ", "> > "]))
def test_what_carries_meaning_survives_any_wrapping(width: int, quote: str) -> None:
    cut = [MEANT[at : at + width] for at in range(0, len(MEANT), width)]
    broken = textwrap.wrap(MEANT, width, break_long_words=False, break_on_hyphens=False)
    for pieces in (cut, broken):
        whole = [line.text for line in joined(lines([quote + piece for piece in pieces]))]
        text = "\n".join([*pieces, *whole])
        assert all(token in text for token in PROTECTED), (width, whole)


def test_a_joined_line_bears_the_number_of_its_first_piece() -> None:
    found = joined(lines(["short", "x" * 80, "y" * 80, "z", "", "end"]))
    assert [(line.number, len(line.text)) for line in found] == [(2, 162), (2, 163)]


def test_ordinary_lines_are_left_alone() -> None:
    assert joined(lines(["one line", "another, somewhat longer", "  File 'x', line 3", "end"])) == []


@given(st.lists(st.text(max_size=300), max_size=8))
def test_any_text_is_survived_and_nothing_is_made_up(texts: list[str]) -> None:
    for line in joined(lines(texts)):
        assert len(line.text) <= sum(len(text) + 1 for text in texts) + 1

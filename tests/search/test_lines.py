from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.search.lines import LONGEST_LINE, Line, LineSplitter, lines_of


def texts(data: bytes) -> list[str]:
    return [line.text for line in lines_of([data])]


def test_every_line_ending_ends_a_line() -> None:
    assert texts(b"a\nb\r\nc\rd") == ["a", "b", "c", "d"]


def test_lines_are_numbered_from_one() -> None:
    assert list(lines_of([b"a\n\nb"])) == [Line(1, "a"), Line(2, ""), Line(3, "b")]


def test_of_blank_lines_in_a_row_one_is_handed_on_and_all_are_counted() -> None:
    assert list(lines_of([b"a\n\n \n\t\n", b"\n\nb\n\nc"])) == [
        *(Line(1, "a"), Line(2, ""), Line(7, "b")),
        *(Line(8, ""), Line(9, "c")),
    ]


def test_invalid_utf8_is_replaced_and_nothing_else_is_lost() -> None:
    assert texts(b"before \xff\xfe after\n") == ["before �� after"]


def test_what_powershell_redirects_is_read() -> None:
    assert texts("type fp8e4nv\r\nnext".encode("utf-16")) == ["type fp8e4nv", "next"]


def test_a_long_line_comes_in_bounded_pieces_under_one_number() -> None:
    pieces = list(lines_of([b"x" * (LONGEST_LINE + 5), b"\nnext"]))
    assert [len(line.text) for line in pieces] == [LONGEST_LINE, 5, 4]
    assert [line.number for line in pieces] == [1, 1, 2]


def test_an_endless_line_is_never_held_whole() -> None:
    splitter = LineSplitter()
    for _ in range(200):
        splitter.feed(b"y" * 10_000)
        assert len(splitter._rest) <= LONGEST_LINE


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=6))
def test_where_chunks_are_cut_makes_no_difference(data: bytes, cuts: list[int]) -> None:
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    chunks = [data[start:stop] for start, stop in pairwise(places)]
    assert list(lines_of(chunks)) == list(lines_of([data]))

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.search.lines import LONGEST_LINE, OVERLAP, Line, LineSplitter, lines_of, pieces


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


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_told_without_its_mark(encoding: str) -> None:
    text = "type fp8e4nv\r\nnext \u00fc " + "and so on " * 40
    assert texts(text.encode(encoding)) == text.split("\r\n")
    assert texts("short".encode(encoding)) == ["short"]


def test_zeros_between_some_letters_are_no_other_encoding() -> None:
    assert texts(b"t\0y\0p\0e\0 fp8e4nv\nnext") == ["t\0y\0p\0e\0 fp8e4nv", "next"]


def test_a_live_stream_is_not_held_back_to_tell_its_encoding() -> None:
    assert [line.text for line in LineSplitter().feed(b"ab c\n")] == ["ab c"]


def test_a_long_line_comes_in_bounded_pieces_under_one_number() -> None:
    pieces = list(lines_of([b"x" * (LONGEST_LINE + 5), b"\nnext"]))
    assert [len(line.text) for line in pieces] == [LONGEST_LINE, OVERLAP + 5, 4]
    assert [line.number for line in pieces] == [1, 1, 2]


@pytest.mark.parametrize("at", range(LONGEST_LINE - OVERLAP - 60, LONGEST_LINE + 60, 37))
def test_what_lies_across_a_cut_is_whole_in_a_piece(at: int) -> None:
    line = "x" * at + "a signature of some length" + "y" * 40_000
    for chunks in ([line.encode()], [line[:at].encode(), line[at:].encode()]):
        assert any("a signature of some length" in piece.text for piece in lines_of(chunks))


@given(st.integers(0, 5 * LONGEST_LINE))
def test_pieces_hold_everything_and_little_twice(size: int) -> None:
    text = "".join(chr(65 + at % 50) for at in range(size))
    first, *more = pieces(text)
    assert first + "".join(piece[OVERLAP:] for piece in more) == text
    assert all(len(piece) <= LONGEST_LINE for piece in (first, *more))
    assert len(more) * OVERLAP <= size / 2


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

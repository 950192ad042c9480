from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.repro.request import Observation
from gpu_gotchas.repro.telling import exit_text, last_line, needed, needs, plain, summary, telling_line
from tests.repro.samples import raised, returned


@given(st.text())
def test_plain_text_prints_and_is_unicode(text: str) -> None:
    told = plain(text)
    assert all(character.isprintable() or character == "\n" for character in told)
    told.encode()
    assert plain(told) == told


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="/")))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/home/me/venv/lib/python3.11/site-packages/triton/compiler.py:3", "triton/compiler.py:3"),
        ("ptxas '/tmp/tmpx1/k.ptx', line 7", "ptxas '…/k.ptx', line 7"),
        ("see https://example.org/a/b/c", "see https://example.org/a/b/c"),
        ("tensors of float16/bfloat16 and 1 / 2", "tensors of float16/bfloat16 and 1 / 2"),
    ],
)
def test_where_files_lie_is_left_out(text: str, told: str) -> None:
    assert plain(text) == told


def test_the_line_that_tells_is_the_one_a_tool_calls_an_error() -> None:
    assert (
        telling_line("start\nptxas fatal   : no such target\nCommand failed\n")
        == "ptxas fatal   : no such target"
    )
    assert telling_line("start\nTypeError: no\n") == "TypeError: no"


def test_colours_go_and_what_does_not_print_is_spelt_out() -> None:
    assert plain("\x1b[31mred\x1b[0m\tx\r\x07\u202e\udc80") == "red    x\\r\\x07\\u202e\\udc80"


def test_exits() -> None:
    assert exit_text(-6) == "ended by SIGABRT"
    assert exit_text(-200) == "ended by signal 200"
    assert exit_text(3) == "ended with exit code 3 and no answer"


def test_the_last_line_is_one_that_says_something() -> None:
    assert last_line("one\n  two  \n\n \n") == "two"
    assert last_line("\n") == "it printed nothing"


def test_summaries() -> None:
    assert summary(returned(launches=1)) == "compiles and fits, 1 launch"
    assert summary(returned(measured=(0.5, 1.0))) == "measured 0.5, 1"
    assert summary(returned()) == "returned"
    assert summary(raised("A: b\nC: d")) == "A: b\nC: d"
    assert summary(Observation(None, -11, 0.1, streams="x\n")) == "ended by SIGSEGV: x"


@given(st.text(max_size=20))
def test_the_package_that_a_reason_names_is_found_again_and_in_no_other_reason(text: str) -> None:
    assert needed(needs(text)) == text
    assert needed(text) is None

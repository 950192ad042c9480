from __future__ import annotations

import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.cli.answers import print_answer
from gpu_gotchas.cli.terminal import Style, Styled, Terminal, bold, safe
from gpu_gotchas.search.answer import Answer, Result, Seen, Verdict, Withdrawn


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def printed(*parts: str | Styled, environment: dict[str, str] | None = None, screen: bool = True) -> str:
    out = Screen() if screen else io.StringIO()
    Terminal(out, io.StringIO(), environment or {"WT_SESSION": "1"}).line(*parts)
    return out.getvalue()


@given(st.text(max_size=100))
def test_nothing_that_does_not_print_gets_through(text: str) -> None:
    assert safe(text).isprintable()


@given(st.text(max_size=60))
def test_only_our_own_colours_are_escape_sequences(text: str) -> None:
    shown = printed(Styled(text, Style.BAD))
    assert re.sub(r"\x1b\[(?:31|0)m", "", shown).rstrip("\n").isprintable()
    assert shown.count("\n") == 1


def test_what_is_spelt_out_can_be_read() -> None:
    assert safe("a\x1b[2Jb\u202ec\td") == "a\\x1b[2Jb\\u202ec d"


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_whole_answer_keeps_hostile_text_from_the_terminal(hostile: str, other: str) -> None:
    seen = Seen(1, hostile, other, {"hole": hostile})
    result = Result(
        *(hostile, other, "retracted", "major", "crash", "signature", 0.6, hostile),
        lines=(seen,),
        context=(seen,),
        words=(hostile,),
        agreed=(other,),
        disagreed=(hostile,),
        tell_apart={other: hostile},
        do=hostile,
        withdrawn=Withdrawn(hostile, other),
    )
    for explain in (False, True):
        out = io.StringIO()
        print_answer(
            Answer(Verdict.LOOKS_LIKE, (result,), "2026-11-30"), Terminal(out, out, {}), explain=explain
        )
        assert out.getvalue().replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("environment", "screen", "coloured"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    environment: dict[str, str], screen: bool, coloured: bool
) -> None:
    shown = printed(bold("x"), environment={"WT_SESSION": "1", **environment}, screen=screen)
    assert ("\x1b" in shown) is coloured


@given(st.text(max_size=60))
def test_json_is_printable_ascii_and_loses_nothing(text: str) -> None:
    out = io.StringIO()
    Terminal(out, io.StringIO(), {}).json({"text": text})
    assert out.getvalue().replace("\n", "").isprintable()
    assert out.getvalue().isascii()
    assert json.loads(out.getvalue()) == {"text": text}

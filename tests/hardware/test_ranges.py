"""Ranges of capabilities and numbers: what they contain, and that a wrong one says what would be right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.hardware.conditions import CapabilityRange, NumberRange


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        (">=8.9,<9.0", [(8, 9)], [(8, 6), (9, 0), (10, 0), (12, 0)]),
        (">=12.0,<12.2", [(12, 0), (12, 1)], [(11, 0), (9, 0)]),
        ("<8.9", [(8, 7), (6, 0)], [(8, 9), (10, 0), (12, 1)]),
        ("== 8.6", [(8, 6)], [(8, 0), (8, 7)]),
        (" > 8.0 , <= 8.9 ", [(8, 6), (8, 9)], [(8, 0), (9, 0)]),
    ],
)
def test_capabilities(text: str, inside: list[tuple[int, int]], outside: list[tuple[int, int]]) -> None:
    range_ = CapabilityRange.parse(text)
    assert all(range_.contains(capability) for capability in inside)
    assert not any(range_.contains(capability) for capability in outside)
    assert range_.text == text


def test_ten_comes_after_nine() -> None:
    assert CapabilityRange.parse(">=9.0").contains((10, 0))
    assert NumberRange.parse("<=101376").contains(98304)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("8.6", "==8.6"),
        ("=8.6", "such as"),
        ("~=8.6", "such as"),
        (">=8", "8.6"),
        (">=8.10", "8.6"),
        (">=8.6 <9.0", "comma"),
        (">=8.6,", "clause"),
        ("", "clause"),
        (">=9.0,<8.9", "smaller value"),
        (">=9.0,<9.0", "never hold"),
        (">8.9,<9.0", "never hold"),
        (">=8.0,>=8.6", "2 lower bounds"),
        ("==8.6,>=8.0", "stands alone"),
        ("<0.0", "below zero"),
        (8.6, "in quotes"),
    ],
)
def test_a_wrong_capability_range_says_what_would_be_right(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        CapabilityRange.parse(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (">=2.5", "whole number"),
        ("<0", "never hold"),
        (">=3,<3", "never hold"),
        ("24", "==24"),
        (">=1e3", "clause"),
    ],
)
def test_a_wrong_number_range_says_what_would_be_right(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        NumberRange.parse(text)


@pytest.mark.parametrize("kind", [CapabilityRange, NumberRange])
@given(
    text=st.text(max_size=30)
    | st.from_regex(r"[<>=]{1,2}[0-9.]{1,4}(,[<>=]{1,2}[0-9.]{1,4})?", fullmatch=True)
)
def test_any_text_is_read_or_refused_with_a_reason(
    kind: type[CapabilityRange] | type[NumberRange], text: str
) -> None:
    try:
        range_ = kind.parse(text)
    except ValueError as error:
        reason = str(error)
    else:
        reason = ""
        assert range_.text == text
    assert len(reason) > 10 or text.strip()


@given(
    st.sampled_from((">", ">=")),
    st.integers(0, 200),
    st.sampled_from(("<", "<=")),
    st.integers(0, 200),
)
def test_a_range_is_refused_exactly_when_nothing_lies_in_it(low: str, a: int, high: str, b: int) -> None:
    text = f"{low}{a},{high}{b}"
    there = [
        n for n in range(202) if (n > a or (low == ">=" and n == a)) and (n < b or (high == "<=" and n == b))
    ]
    if there:
        range_ = NumberRange.parse(text)
        assert [n for n in range(202) if range_.contains(n)] == there
    else:
        with pytest.raises(ValueError, match="never hold"):
            NumberRange.parse(text)

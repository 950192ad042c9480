from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.repro.probe import Tier
from gpu_gotchas.repro.request import Answer, Request
from tests.repro.samples import raised, returned

requests = st.builds(
    Request,
    path=st.text(),
    function=st.text(),
    tier=st.sampled_from(Tier),
    target=st.text(),
    package=st.none() | st.text(),
    seeds=st.integers(0, 9),
    repeats=st.integers(1, 9),
)
answers = st.builds(
    Answer,
    ended=st.sampled_from(["returned", "raised", "unloadable"]),
    value=st.none() | st.lists(st.integers() | st.text()) | st.dictionaries(st.text(), st.booleans()),
    measured=st.lists(st.floats(allow_nan=False)).map(tuple),
    exception=st.text(),
    output=st.text(),
    refused=st.booleans(),
    launches=st.integers(0, 9),
    versions=st.dictionaries(st.text(), st.text()),
    device=st.none() | st.text(),
)


@given(requests)
def test_a_request_comes_back_from_its_line(request: Request) -> None:
    assert "\n" not in request.to_json()
    assert Request.from_json(request.to_json()) == request


@given(answers)
def test_an_answer_comes_back_from_its_line(answer: Answer) -> None:
    assert "\n" not in answer.to_json()
    assert Answer.from_json(answer.to_json()) == answer


def test_what_is_no_number_travels_too() -> None:
    measured: Any = Answer.from_json(Answer("returned", measured=(math.nan, math.inf)).to_json()).measured
    assert math.isnan(measured[0])
    assert measured[1] == math.inf


def test_a_symptom_is_looked_for_without_frames_and_a_search_sees_everything() -> None:
    seen = raised("ValueError: no")
    assert seen.symptom_text == "ValueError: no"
    assert seen.full_text == "Traceback (most recent call last):\nValueError: no"
    assert returned().symptom_text == returned().full_text == ""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.repro.results import Result, ResultError, fold, parse_result, read_results
from tests.repro.samples import a_result
from tests.repro.strategies import results

few_keys = results(
    gotcha=st.just("made-up"),
    target=st.sampled_from(["cpu", "sm_86"]),
    device=st.sampled_from([None, "", "card"]),
    package=st.sampled_from([None, "", "vllm==1.0"]),
    versions=st.sampled_from([{}, {"triton": "3.7.0"}]),
)


@given(results())
def test_a_result_comes_back_from_its_line(result: Result) -> None:
    line = result.to_json()
    assert "\n" not in line
    assert parse_result(line) == result


@given(st.lists(results(), max_size=4))
def test_results_come_back_from_their_file(
    tmp_path_factory: pytest.TempPathFactory, some: list[Result]
) -> None:
    path = tmp_path_factory.mktemp("results") / "r.jsonl"
    path.write_bytes("".join(f"{result.to_json()}\n" for result in some).encode())
    assert read_results(path) == some


def test_what_is_absent_is_left_out_of_the_line_and_a_zero_is_not() -> None:
    line = json.loads(a_result(seconds=0.0).to_json())
    assert line["seconds"] == 0.0
    assert line["device"] is None
    assert not {"by", "package", "masked_by", "described", "measured"} & line.keys()


@given(st.text() | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_no_line_does_worse_than_an_error(line: str) -> None:
    with suppress(ResultError):
        parse_result(line)


def spoilt(**changes: Any) -> str:
    data = json.loads(a_result().to_json()) | changes
    return json.dumps({name: value for name, value in data.items() if value != "gone"})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("9" * 5000, "no JSON"),
        ("[]", '"version": 1'),
        ("{}", '"version": 1'),
        (spoilt(version=2), '"version": 1'),
        (spoilt(extra=1), "unknown extra; a result has .*gotcha"),
        (spoilt(tier="fast"), "tier must be one of logic, compile, package, device, not 'fast'"),
        (spoilt(tier=["logic"]), "tier must be one of"),
        (spoilt(outcome="gone"), "outcome must be one of"),
        (spoilt(gotcha="gone"), "gotcha must be text"),
        (spoilt(reason=7), "reason must be text"),
        (spoilt(by=7), "by must be text or left out"),
        (spoilt(reason="\ud800"), "UTF-8"),
        (spoilt(seconds=-1), "seconds must be a number"),
        (spoilt(seconds=True), "seconds must be a number"),
        (spoilt(seconds="gone"), "seconds must be a number"),
        (spoilt(seconds=10**400), "seconds must be a number"),
        (spoilt(seconds=float("nan")), "seconds must be a number"),
        (spoilt(versions=[]), "versions must map"),
        (spoilt(versions={"a": 1}), "versions must map"),
        (spoilt(measured=["a"]), "measured must be a list"),
        (spoilt(measured=[float("inf")]), "measured must be a list"),
        (spoilt(described="yes"), "described must be"),
        (spoilt(date="yesterday"), "date must be ISO 8601"),
        (spoilt(date="2026-01-31T12:00:00"), "with its offset"),
    ],
)
def test_a_bad_line_is_an_error_that_says_what_would_be_right(line: str, message: str) -> None:
    with pytest.raises(ResultError, match=message):
        parse_result(line)


def test_an_error_in_a_file_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(f"{a_result().to_json()}\n\nnonsense\n")
    with pytest.raises(ResultError) as error:
        read_results(path)
    assert str(error.value).startswith(f"{path}:3: ")
    assert (error.value.path, error.value.line) == (path, 3)


def test_a_file_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert read_results(tmp_path / "none.jsonl") == []


@given(st.data())
def test_a_file_cut_anywhere_gives_every_line_that_was_finished(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    line = a_result(reason="grüße\u2028ende").to_json()
    whole = f"{line}\n{line}\n".encode()
    cut = data.draw(st.integers(0, len(whole)))
    path = tmp_path_factory.mktemp("cut") / "r.jsonl"
    path.write_bytes(whole[:cut])
    assert len(read_results(path)) >= whole[:cut].count(b"\n")


@given(st.lists(few_keys, max_size=6))
def test_folding_twice_changes_nothing(some: list[Result]) -> None:
    once = fold([], some)
    assert fold(once, some) == once
    assert fold(once, once) == once


@given(st.lists(few_keys, max_size=4), st.lists(few_keys, max_size=4))
def test_the_order_of_folding_does_not_matter(one: list[Result], other: list[Result]) -> None:
    assert fold(one, other) == fold(other, one)
    assert fold([], [*one, *other]) == fold([], [*other, *one])


@given(st.lists(few_keys, min_size=1, max_size=6))
def test_each_question_keeps_its_newest_answer(some: list[Result]) -> None:
    folded = fold([], some)
    assert len({result.key for result in folded}) == len(folded) == len({result.key for result in some})
    for result in some:
        kept = next(k for k in folded if k.key == result.key)
        assert kept.date >= result.date


def test_the_newest_wins_whatever_its_offset() -> None:
    older = a_result(date="2026-11-30T23:00:00+00:00")
    newer = a_result(date="2026-12-01T01:30:00+02:00")
    assert fold([older], [newer]) == [newer]
    assert fold([newer], [older]) == [newer]


def test_each_release_of_triton_answers_for_itself() -> None:
    one, other = (a_result(versions={"triton": version}) for version in ("3.6.0", "3.7.0"))
    assert len(fold([one], [other])) == 2

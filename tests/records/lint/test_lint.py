from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from gpu_gotchas.records.lint import RULES, Base, lint
from gpu_gotchas.records.lint.base import each_gotcha, line_of
from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.records.problems import Problem
from tests.records.lint.examples import AS_OTHER, EXAMPLES, SAMPLE, Example, Record, base, one
from tests.records.samples import CANDIDATE

TODAY = date(2026, 12, 1)

BAD = [(rule, number) for rule, (bad, _) in EXAMPLES.items() for number in range(len(bad))]
GOOD = [(rule, number) for rule, (_, good) in EXAMPLES.items() for number in range(len(good))]


def problems(example: Example, root: Path) -> list[Problem]:
    return lint(*example.load(root), today=TODAY)


def test_every_rule_has_a_bad_and_a_good_example() -> None:
    assert set(EXAMPLES) == set(RULES)
    assert all(bad and good for bad, good in EXAMPLES.values())


def test_there_are_enough_rules() -> None:
    assert len(RULES) >= 26


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_says_why(rule: str) -> None:
    assert len(RULES[rule].why.split()) >= 5


@pytest.mark.parametrize(("rule", "number"), BAD)
def test_the_rule_finds_its_bad_example(rule: str, number: int, tmp_path: Path) -> None:
    found = [problem for problem in problems(EXAMPLES[rule][0][number], tmp_path) if problem.rule == rule]
    assert found
    for problem in found:
        assert problem.path.is_file()
        assert problem.line is not None
        assert 1 <= problem.line <= len(problem.path.read_text(encoding="utf-8").splitlines())
        assert problem.message


@pytest.mark.parametrize(("rule", "number"), GOOD)
def test_no_rule_minds_a_good_example(rule: str, number: int, tmp_path: Path) -> None:
    assert problems(EXAMPLES[rule][1][number], tmp_path) == []


@pytest.mark.parametrize("rule", sorted(RULES))
def test_in_an_empty_base_no_rule_finds_anything(rule: str) -> None:
    assert list(RULES[rule].check(Base((), (), TODAY))) == []


def test_a_problem_names_file_line_and_rule(tmp_path: Path) -> None:
    (problem,) = problems(one((("reporter_count",), 7)), tmp_path)
    text = problem.path.read_text(encoding="utf-8").splitlines()
    assert problem.line is not None
    assert text[problem.line - 1].startswith("reporter_count")
    assert str(problem) == (
        f"{problem.path}:{problem.line}: reporter_count: is 7, but 1 distinct `by` have a latest report that "
        "reproduces [reporter-count-is-counted]"
    )


def test_a_problem_of_a_candidate_names_it(tmp_path: Path) -> None:
    example = base(
        SAMPLE, AS_OTHER, candidates=(CANDIDATE, {**CANDIDATE, "id": "second", "title": "It breaks."})
    )
    (problem,) = problems(example, tmp_path)
    assert problem.path.name == "_candidates.yaml"
    assert problem.message.startswith("second: title: ")
    assert (
        problem.path.read_text(encoding="utf-8")
        .splitlines()[(problem.line or 0) - 1]
        .endswith("title: It breaks.")
    )


def test_problems_come_in_the_order_of_files_and_lines(tmp_path: Path) -> None:
    example = base(SAMPLE, Record((*AS_OTHER.changes, (("reporter_count",), 3), (("title",), "x."))))
    found = problems(example, tmp_path)
    assert [(problem.path, problem.line) for problem in found] == sorted(
        (problem.path, problem.line) for problem in found
    )
    assert {problem.rule for problem in found} == {"reporter-count-is-counted", "title-has-no-full-stop"}


def test_two_rules_may_not_share_a_name() -> None:
    def id_is_folder_name(_: Gotcha):  # type: ignore[no-untyped-def]
        """Taken."""
        yield from ()

    with pytest.raises(ValueError, match="two rules are called id-is-folder-name"):
        each_gotcha(id_is_folder_name)


def test_a_rule_without_a_reason_is_refused() -> None:
    def nameless(_: Gotcha):  # type: ignore[no-untyped-def]
        yield from ()

    with pytest.raises(ValueError, match="has no docstring"):
        each_gotcha(nameless)
    assert "nameless" not in RULES


@pytest.mark.parametrize(
    ("where", "line"), [("", 1), ("a", 2), ("a[0].b", 4), ("a[0].c", 3), ("a[1].x.y[2]", 2), ("gone", 1)]
)
def test_a_place_without_a_line_has_that_of_what_holds_it(where: str, line: int) -> None:
    assert line_of({"": 1, "a": 2, "a[0]": 3, "a[0].b": 4}, where) == line

"""Single expressions of a function changed in memory: exactly those, once each, or not at all."""

from __future__ import annotations

import inspect
import traceback

import pytest

from gpu_gotchas.upstream.editing import EditError, edited

BASE = 10


def long_one(number: int, extra: int = 1, *, more: int = 0) -> int:
    """As it was."""
    doubled = number * 2
    if doubled > 4:
        return doubled + BASE + extra + more
    return doubled * 2


def test_one_expression_changes_and_the_rest_stays() -> None:
    other = edited(
        long_one, "fix", {"doubled > 4": "_large(doubled)"}, {"_large": lambda number: number > 100}
    )
    assert [long_one(3), other(3), other(60)] == [17, 12, 131]
    assert other(60, 2, more=3) == 135
    assert (other.__doc__, other.__name__) == ("As it was.", "long_one")
    assert inspect.unwrap(other) is long_one


def test_a_statement_can_be_changed_too() -> None:
    assert edited(long_one, "fix", {"doubled = number * 2": "doubled = number * 3"})(1) == 6


@pytest.mark.parametrize("old", ["doubled > 5", "doubled"])
def test_an_edit_that_does_not_fit_once_is_refused(old: str) -> None:
    with pytest.raises(EditError):
        edited(long_one, "fix", {old: "0"})


def test_everywhere_takes_more_than_one_place_and_still_not_none() -> None:
    twice = edited(long_one, "fix", {"doubled * 2": "doubled", "doubled": "number"}, everywhere=True)
    assert twice(1) == 1
    with pytest.raises(EditError):
        edited(long_one, "fix", {"nothing_like_it": "0"}, everywhere=True)


def test_it_reads_its_module_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    other = edited(long_one, "fix", {"doubled > 4": "doubled > 5"})
    monkeypatch.setattr(f"{__name__}.BASE", 20)
    assert other(3) == 27


def test_a_traceback_still_names_the_line() -> None:
    failing = edited(long_one, "fix", {"number * 2": "number / 0"})
    with pytest.raises(ZeroDivisionError) as caught:
        failing(1)
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert frame.filename == __file__
    assert frame.line == "doubled = number * 2"


def test_free_variables_would_be_lost_so_they_are_refused() -> None:
    outer = 1

    def inner() -> int:
        return outer

    with pytest.raises(EditError):
        edited(inner, "fix", {"outer": "2"})


def test_a_helper_that_fails_is_said_and_the_function_runs_as_it_was(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(number: int) -> bool:
        raise KeyError("not in this release")

    other = edited(long_one, "fix-that-fails", {"doubled > 4": "_large(doubled)"}, {"_large": broken})
    assert [other(3), other(1)] == [long_one(3), long_one(1)]
    assert capsys.readouterr().err.count("fix-that-fails failed in a call") == 1


def test_what_the_function_raises_by_itself_is_raised() -> None:
    other = edited(long_one, "fix", {"doubled > 4": "_large(doubled)"}, {"_large": lambda number: True})
    with pytest.raises(TypeError):
        other(3, None)

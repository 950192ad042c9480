from __future__ import annotations

import pytest

from gpu_gotchas.repro.exceptions import exception_lines, full_traceback, missing_package


def caught(function: object) -> BaseException:
    try:
        function()  # type: ignore[operator]
    except BaseException as error:
        return error
    raise AssertionError("it did not raise")


def chained() -> None:
    try:
        raise KeyError("first")
    except KeyError as error:
        raise ValueError("second") from error


def in_passing() -> None:
    try:
        raise KeyError("first")
    except KeyError:
        raise ValueError("second")  # noqa: B904 - the context is what is tested


def hidden() -> None:
    try:
        raise KeyError("first")
    except KeyError:
        raise ValueError("second") from None


def test_the_whole_chain_is_told_oldest_first() -> None:
    assert exception_lines(caught(chained)) == "KeyError: 'first'\nValueError: second"
    assert exception_lines(caught(in_passing)) == "KeyError: 'first'\nValueError: second"


def test_what_python_hides_stays_hidden() -> None:
    assert exception_lines(caught(hidden)) == "ValueError: second"


def test_a_chain_that_bites_its_tail_ends() -> None:
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert exception_lines(one) == "ValueError: other\nValueError: one"


class Falsy(Exception):
    def __len__(self) -> int:
        return 0


def test_a_cause_that_is_false_is_a_cause() -> None:
    error = ValueError("second")
    error.__cause__ = Falsy("first")
    assert exception_lines(error).splitlines()[0].endswith("Falsy: first")


def test_lines_of_a_message_and_notes_are_kept() -> None:
    error = RuntimeError("line one\nline two")
    error.add_note("a note")
    assert exception_lines(error) == "RuntimeError: line one\nline two\na note"


class CompilationError(Exception):
    """As Triton's: the message holds an excerpt of the kernel before the reason."""

    def __init__(self, src: str, error_message: str | None) -> None:
        self.src, self.error_message = src, error_message
        super().__init__(f"at 1:0:\n{src}\n{error_message}")


def test_the_excerpt_of_a_kernel_is_left_out_and_the_reason_kept() -> None:
    error = CompilationError("x = does_not_fit", "the reason")
    lines = exception_lines(error)
    assert "the reason" in lines
    assert "does_not_fit" not in lines
    assert "does_not_fit" in full_traceback(error)


def test_an_outer_error_without_a_reason_still_tells_the_inner_one() -> None:
    outer = CompilationError("kernel()", None)
    outer.__cause__ = ValueError("the reason")
    assert exception_lines(outer).splitlines()[0] == "ValueError: the reason"
    assert exception_lines(outer).splitlines()[1].endswith("CompilationError:")


def test_an_exception_without_a_message_is_told_with_its_place() -> None:
    def convert() -> None:
        assert 1 + 1 == 3

    try:
        convert()
    except AssertionError as error:
        error.args = ()  # pytest's rewritten assert has a message
        lines = exception_lines(error)
    assert "in convert\n" in lines
    assert lines.endswith("AssertionError")


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_an_exception_that_cannot_be_told_is_still_an_exception() -> None:
    assert exception_lines(Unspeakable()).endswith("Unspeakable: <exception str() failed>")


@pytest.mark.parametrize(
    ("error", "package"),
    [
        (ModuleNotFoundError("No module named 'torch'", name="torch"), "torch"),
        (ModuleNotFoundError("No module named 'torch.nothing'", name="torch.nothing"), None),
        (ModuleNotFoundError("No module named 'gpu_gotchas'", name="gpu_gotchas"), None),
        (ModuleNotFoundError("No module named 'gpu_gotchas.x'", name="gpu_gotchas.fixes.x"), None),
        (ModuleNotFoundError("whatever"), None),
        (ImportError("cannot import name 'x' from 'torch'", name="torch"), None),
    ],
)
def test_a_package_that_is_not_installed_is_named_and_a_fault_is_none(
    error: Exception, package: str | None
) -> None:
    assert missing_package(error) == package

"""A patch changes a call, and when its own part fails the call goes on as if there were none."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.upstream import wrapping
from gpu_gotchas.upstream.wrapping import (
    WithLaunchArguments,
    after_failure,
    instead,
    with_arguments,
    with_globals,
    with_result,
)


@pytest.fixture(autouse=True)
def nothing_said() -> Iterator[None]:
    wrapping._said.clear()
    yield
    wrapping._said.clear()


def halve(number: int, by: int = 2) -> float:
    if by == 0:
        raise ZeroDivisionError("by nothing")
    return number / by


def broken(*_: Any, **__: Any) -> Any:
    raise TypeError("the patch is broken")


def refusing(*_: Any, **__: Any) -> Any:
    raise Refused(capability="sm_80", setting="halving", way_out="double instead")


class Kernel:
    fn = staticmethod(halve)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return lambda *args, **kwargs: (grid, halve(*args, **kwargs))


WAYS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "arguments": (lambda part: with_arguments(halve, "fix", part), lambda number, **_: ((number * 10,), {})),
    "result": (lambda part: with_result(halve, "fix", part), lambda found, /, *_, **__: found * 10),
    "instead": (lambda part: instead(halve, "fix", part), lambda number, **_: number * 5.0),
    "launch": (
        lambda part: lambda *a, **k: WithLaunchArguments(Kernel(), "fix", part)[(1,)](*a, **k)[1],
        lambda number, **_: ((number * 10,), {}),
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_it_changes_the_call(way: str) -> None:
    wrap, part = WAYS[way]
    assert wrap(part)(4) == 20


@pytest.mark.parametrize("way", WAYS)
def test_a_patch_that_fails_leaves_the_call_alone_and_says_so_once(
    way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrap, _ = WAYS[way]
    assert [wrap(broken)(4), wrap(broken)(6)] == [2, 3]
    assert capsys.readouterr().err.count("the patch is broken") == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_refusal_is_what_a_guard_is_for(way: str) -> None:
    wrap, _ = WAYS[way]
    with pytest.raises(Refused):
        wrap(refusing)(4)


@pytest.mark.parametrize("way", WAYS)
def test_what_the_original_raises_is_raised(way: str) -> None:
    wrap, part = WAYS[way]
    same = {"result": part, "instead": broken}
    changed = same.get(way, lambda number, **named: ((number,), named))
    with pytest.raises(ZeroDivisionError):
        wrap(changed)(4, by=0)


def test_a_way_out_is_taken_after_that_failure_alone() -> None:
    out = after_failure(halve, "fix", ZeroDivisionError, lambda number, by: number if number > 0 else None)
    assert (out(4), out(4, by=0)) == (2, 4)
    with pytest.raises(ZeroDivisionError):
        out(-4, by=0)
    with pytest.raises(TypeError):
        out("four")
    with pytest.raises(ZeroDivisionError):
        after_failure(halve, "fix", ZeroDivisionError, broken)(4, by=0)


def test_a_kernel_keeps_its_attributes_and_can_be_copied() -> None:
    kernel = WithLaunchArguments(Kernel(), "fix", broken)
    assert kernel.fn(4) == 2
    with pytest.raises(AttributeError):
        _ = kernel.nothing
    assert copy.copy(kernel)[(1,)](4) == ((1,), 2)


LIMIT = 3


def within(number: int, *, slack: int = 0) -> bool:
    return number <= LIMIT + slack


def test_a_copy_sees_other_globals_and_the_function_its_own() -> None:
    assert with_globals(within, {"LIMIT": 9})(5)
    assert not within(5)
    assert with_globals(within, {"LIMIT": 4})(5, slack=1)

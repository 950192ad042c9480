"""The ways in which a patch changes a callable, none of which can make a call fail that came through before.

Each keeps what the patch does apart from what the original does. When the patch's own part raises, that is
said once and the original goes on as if there were no patch. `Refused` alone passes: guards are for that.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

from gpu_gotchas.fixes.refused import Refused

BODY = "__edited_body__"
"""Where an edited function keeps what it calls."""

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def with_arguments(before: Any, patch: str, change: Callable[..., Arguments]) -> Any:
    """`before`, called with what `change(*args, **kwargs)` makes of its arguments: a new (args, kwargs)."""

    @functools.wraps(before)
    def patched(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = _safely(patch, lambda: change(*args, **kwargs), (args, kwargs))
        return before(*args, **kwargs)

    return patched


def with_result(before: Any, patch: str, change: Callable[..., Any]) -> Any:
    """`before`, whose result becomes `change(result, *args, **kwargs)`."""

    @functools.wraps(before)
    def patched(*args: Any, **kwargs: Any) -> Any:
        result = before(*args, **kwargs)
        return _safely(patch, lambda: change(result, *args, **kwargs), result)

    return patched


def instead(before: Any, patch: str, replacement: Callable[..., Any]) -> Any:
    """`replacement` in place of `before`, which is called where the replacement fails.

    For functions without side effects before they return: they may be entered twice.
    """

    @functools.wraps(before)
    def patched(*args: Any, **kwargs: Any) -> Any:
        try:
            return replacement(*args, **kwargs)
        except Refused:
            raise
        except Exception as error:
            say(patch, error)
        return before(*args, **kwargs)

    return patched


def after_failure(before: Any, patch: str, error: type[Exception], way_out: Callable[..., Any]) -> Any:
    """`before`; where it raises `error`, what `way_out(*args, **kwargs)` returns. None lets it raise."""

    @functools.wraps(before)
    def patched(*args: Any, **kwargs: Any) -> Any:
        try:
            return before(*args, **kwargs)
        except error:
            found = _safely(patch, lambda: way_out(*args, **kwargs), None)
            if found is None:
                raise
            return found

    return patched


class WithLaunchArguments:
    """A Triton kernel whose launches get what `change(*args, **kwargs)` makes of their arguments.

    It stands in for the kernel: all else is the kernel's own.
    """

    def __init__(self, kernel: Any, patch: str, change: Callable[..., Arguments]) -> None:
        self.__wrapped__ = kernel
        self._patch = patch
        self._change = change

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":  # an unpickled copy is not filled yet: looking further would never end
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        def launch(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = _safely(self._patch, lambda: self._change(*args, **kwargs), (args, kwargs))
            return self.__wrapped__[grid](*args, **kwargs)

        return launch


def with_globals(function: Any, names: Mapping[str, Any]) -> Any:
    """A copy of a plain function that sees `names` beside, and before, its module's own: for asking it.

    The function itself and its module stay as they are. Of an edited function it is the edited body.
    """
    function = getattr(function, "__func__", function)
    function = getattr(function, BODY, function)
    copy = type(function)(
        function.__code__,
        {**function.__globals__, **names},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


_said: set[str] = set()


def _safely(patch: str, act: Callable[[], Any], otherwise: Any) -> Any:
    try:
        return act()
    except Refused:
        raise
    except Exception as error:
        say(patch, error)
        return otherwise


def say(patch: str, error: Exception) -> None:
    """Once for each patch: it may stand in a place that is called thousands of times a second."""
    if patch not in _said:
        _said.add(patch)
        line = f"gpu-gotchas fixes: {patch} failed in a call, which went on unpatched: "
        print(f"{line}{type(error).__name__}: {error}", file=sys.stderr, flush=True)

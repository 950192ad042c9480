"""Helpers for putting a question to code that talks to more than its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any


class Listener:
    """Stands in for a logger and keeps what it is told: for each line its text and its values."""

    def __init__(self) -> None:
        self.lines: list[tuple[Any, ...]] = []

    def info(self, text: str, *values: Any, **_: Any) -> None:
        self.lines.append((text, *values))

    info_once = warning = warning_once = debug = debug_once = error = info


class Open(SimpleNamespace):
    """Stands in for a configuration of vLLM's or transformers': attributes as given, None for every other."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def to_dict(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def using_transformers_backend(self) -> bool:
        return False


@contextmanager
def standing_in(module: ModuleType, name: str, stand_in: Any) -> Iterator[None]:
    """`stand_in` under a global name of a module, for the time of a question.

    For loggers and the like only: another thread that comes by meanwhile must lose nothing by it.
    """
    there = getattr(module, name)
    setattr(module, name, stand_in)
    try:
        yield
    finally:
        setattr(module, name, there)

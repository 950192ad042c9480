"""A knowledge base of GPU inference failures in which every claim that can be executed is executed."""

from __future__ import annotations

from types import ModuleType

__version__ = "0.1.0"


def __getattr__(name: str) -> ModuleType:
    """`gpu_gotchas.search(text)` without another import; nothing is loaded before somebody asks."""
    if name != "search":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return import_module("gpu_gotchas.search")


def __dir__() -> list[str]:
    """What help and completion name, `search` included though it is not loaded yet."""
    return sorted({*globals(), "search"})

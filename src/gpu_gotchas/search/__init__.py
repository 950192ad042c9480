"""Text to gotcha. `search` is the whole public interface: `gpu_gotchas.search(text)`, or by name."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from gpu_gotchas.search.answer import Answer, Result, Verdict
from gpu_gotchas.search.engine import search

__all__ = ["Answer", "Result", "Verdict", "search"]


class _Callable(ModuleType):
    """This package bears the name of what it offers, so that `gpu_gotchas.search` has to be both."""

    def __call__(self, *given: Any, **named: Any) -> Answer:
        return search(*given, **named)


sys.modules[__name__].__class__ = _Callable

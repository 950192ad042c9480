"""Text to gotcha. `from gpu_gotchas.search import search` is the whole public interface.

(`gpu_gotchas.search` is this package, so the function is not offered under that name one level up.)
"""

from __future__ import annotations

from gpu_gotchas.search.answer import Answer, Result, Verdict
from gpu_gotchas.search.engine import search

__all__ = ["Answer", "Result", "Verdict", "search"]

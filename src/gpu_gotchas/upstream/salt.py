"""What the key of a compile cache must know of: the patches that change what is traced, and the card."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_traced: set[str] = set()


def traced(patch: str) -> None:
    """From now on `patch` is part of what is traced in this process."""
    _traced.add(patch)


def untraced(patch: str) -> None:
    _traced.discard(patch)


def salt() -> str:
    """Changes with the set of such patches and with the card; empty where there is neither.

    The card counts only once CUDA is in use in this process: asking earlier would start it.
    """
    from gpu_gotchas import __version__

    parts = [f"{name}@{__version__}" for name in sorted(_traced)]
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is not None and cuda.is_initialized():
        parts.append(f"capability {cuda.get_device_capability()}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:10] if parts else ""


@contextmanager
def pretending(patch: str) -> Iterator[None]:
    """As if `patch` were traced, for the time of a question."""
    traced(patch)
    try:
        yield
    finally:
        untraced(patch)

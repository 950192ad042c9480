"""What somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean x?`, `; known are a, b` where there are few, or nothing."""
    from difflib import get_close_matches

    names = sorted(known)
    near = get_close_matches(name.lower(), names, n=3, cutoff=0.6)
    if not near:
        near = [candidate for candidate in names if len(name) > 2 and name.lower() in candidate][:3]
    if near:
        return f"; did you mean {' or '.join(near)}?"
    return f"; known are {', '.join(names)}" if 0 < len(names) <= 12 else ""

"""What somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable

_MOST_LISTED = 10


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean x?`, else `; known are a, b`, of many the first ones."""
    from difflib import get_close_matches

    names = sorted(known)
    near = get_close_matches(name.lower(), names, n=3, cutoff=0.6)
    if not near:
        near = [candidate for candidate in names if len(name) > 2 and name.lower() in candidate][:3]
    if near:
        return f"; did you mean {' or '.join(near)}?"
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return f"; known are {', '.join(names[:_MOST_LISTED])}{more}" if names else ""

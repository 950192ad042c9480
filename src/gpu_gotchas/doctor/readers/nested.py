"""Parts of a document that nobody has checked: JSON or YAML of any shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def mappings(document: Any) -> Iterator[Mapping[Any, Any]]:
    """Every mapping in it, wherever it lies. Each part is looked at once, since an alias may lead back."""
    waiting, seen = [document], set[int]()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, dict):
            yield part
        below = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        waiting += [one for one in below if isinstance(one, (dict, list))]

"""YAML that other programs read, such as a compose file: anchors are allowed, and only plain data comes
out."""

from __future__ import annotations

from typing import Any

MAX_TEXT = 400_000
MAX_DEPTH = 40


def documents(text: str) -> list[Any]:
    """Every document in the text. Raises ValueError for text that is no YAML, is too long or nested too
    deep."""
    import yaml  # only where there is one

    if len(text) > MAX_TEXT:
        raise ValueError(f"has more than {MAX_TEXT} characters")
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:  # the scanner takes time that grows with the square of the depth
                raise ValueError(f"is nested more than {MAX_DEPTH} deep")
        return list(yaml.safe_load_all(text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise ValueError(f"is no YAML{line}: {getattr(error, 'problem', None) or error}") from None

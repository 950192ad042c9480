"""Checks on the values of a document that collect every problem instead of stopping at the first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from gpu_gotchas.hardware.documents import DocumentError, Item

_TEXT = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,200}")


class Fields:
    """Each check returns the value, or one that stands in for it once the problem is noted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._problems: list[str] = []

    @property
    def count(self) -> int:
        """How many problems there are so far."""
        return len(self._problems)

    def problem(self, item: Item, message: str) -> None:
        """Note a problem at the line of `item`."""
        self._problems.append(f"{self._path}:{item.line}: {message}")

    def raise_if_any(self) -> None:
        """Raise DocumentError with every problem that was noted."""
        if self._problems:
            raise DocumentError(self._problems)

    def mapping(self, item: Item, what: str, keys: Iterable[str] | None = None) -> Mapping[str, Item]:
        """A mapping, with no other keys than `keys` where they are given."""
        if not isinstance(item.value, Mapping):
            self.problem(item, f"{what} is a mapping of keys to values, not {shown(item)}")
            return {}
        for key, value in item.value.items():
            if keys is not None and key not in keys:
                self.problem(value, f"unknown key {key!r} in {what}{_hint(key, keys)}")
        return item.value

    def entries(self, item: Item, what: str, most: int) -> tuple[Item, ...]:
        """A list of at most `most` entries."""
        if not isinstance(item.value, tuple):
            self.problem(item, f"{what} is a list, [] for none, not {shown(item)}")
            return ()
        if len(item.value) > most:
            self.problem(item, f"{what} has more than {most} entries")
        return item.value

    def text(self, item: Item, what: str) -> str:
        """Text of 1 to 200 characters, no control characters among them."""
        if not isinstance(item.value, str) or not _TEXT.fullmatch(item.value):
            self.problem(item, f"{what} is text of 1 to 200 characters, in quotes, not {shown(item)}")
            return ""
        return item.value

    def number(self, item: Item, what: str, least: float, most: float) -> float:
        """A number from `least` to `most`."""
        value = item.value
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
            self.problem(item, f"{what} is a number from {least:g} to {most:g}, not {shown(item)}")
            return least
        return value

    def whole(self, item: Item, what: str, least: int, most: int) -> int:
        """A whole number from `least` to `most`."""
        value = item.value
        if isinstance(value, (bool, str)) or value not in range(least, most + 1):
            self.problem(item, f"{what} is a whole number from {least} to {most}, not {shown(item)}")
            return least
        return int(value)  # type: ignore[arg-type]  # it is in a range

    def truth(self, item: Item, what: str) -> bool:
        """true or false."""
        if not isinstance(item.value, bool):
            self.problem(item, f"{what} is true or false; leave it out when unknown: {shown(item)}")
            return False
        return item.value


def shown(item: Item) -> str:
    """A value as it is named in a message."""
    if isinstance(item.value, Mapping):
        return "a mapping"
    if isinstance(item.value, tuple):
        return "a list"
    return repr(item.value)[:80]


def _hint(key: str, keys: Iterable[str]) -> str:
    import difflib  # here, not at the top: it costs start-up time

    near = difflib.get_close_matches(key, list(keys), n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; it may hold {', '.join(keys)}"

"""The index: one JSON document that is read without being parsed whole.

It is ordinary JSON for everybody else. Written by `build`, it has one entry to a line and sorted keys, so
a reader finds an entry by bisection over the bytes and parses only what it needs:

    {
    "format": 1,
    "head": {…},
    "records": {
    "<id>": {…},
    "": null},
    "words": {
    "<word>": [[record, strength], …],
    "": null},
    "heard": {
    "<term>": [[report, weight], …],
    "": null}}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

FORMAT = 2
_HEAD, _LAST, _END = b'"head": ', b'\n"": null}}\n', b'"": null}'
_TABLES = ("records", "words", "heard")


Place = tuple[int, int, int]
"""(record, signature, template): positions in ids, in the record, in the signature (context from -1 down)."""

Literal = tuple[str, list[Place]]
"""A substring, and the templates that hold it."""


class IndexDamaged(Exception):
    """The bytes are not an index of the format that this version writes."""


class Index:
    """What searching needs, parsed as it is asked for.

    ids: record ids in the order that postings refer to. literals: what must be present for a template to be
    met, by a word that must be present for that; under "" those without such a word. reports: for each report
    that was built on, which record it is about. settings: how those are written that records speak of.
    """

    def __init__(self, data: bytes) -> None:
        try:
            start = data.index(_HEAD) + len(_HEAD)
            head: dict[str, Any] = json.loads(data[start : data.index(b"\n", start) - 1])
            self._records = _table(data, "records")
            if not data.startswith(b'{\n"format": %d,\n' % FORMAT):
                raise ValueError("another format")
            self.date: str = head["date"]
            self.stamp: str | None = head["stamp"]
            self.ids: list[str] = head["ids"]
            self.aliases: dict[str, str] = head["aliases"]
            self.literals: dict[str, list[Literal]] = head["literals"]
            self.reports: list[int] = head["reports"]
            self.settings: dict[str, Any] = head["settings"]
            if not data.endswith(_LAST):
                raise ValueError("its end is missing")
        except (ValueError, KeyError, TypeError) as error:
            raise IndexDamaged(f"not a search index of format {FORMAT}: {error}") from None
        self._data = data

    @classmethod
    def read(cls, path: Path) -> Index:
        """Raises OSError when the file can't be read, IndexDamaged when it holds something else."""
        return cls(path.read_bytes())

    def is_generic(self, record: int, signature: int) -> bool:
        """Whether one signature of the record at a position counts only with context."""
        entry = self.record(self.ids[record])
        return bool(entry and entry["signatures"][signature]["generic"])

    def record(self, name: str) -> dict[str, Any] | None:
        """The entry of a record or candidate, by its id."""
        entry: dict[str, Any] | None = self._records.get(name)
        return entry

    def records(self) -> Iterator[dict[str, Any]]:
        """Every entry, by id."""
        for name in self.ids:
            entry = self.record(name)
            if entry is not None:
                yield entry

    def postings(self, word: str) -> list[tuple[int, int]]:
        """Which records hold a word: (position in ids, strength in percent)."""
        found: list[tuple[int, int]] | None = self._words.get(word)
        return found or []

    def heard(self, term: str) -> list[tuple[int, int]]:
        """Which reports hold a term: (position in `reports`, part of its vector in thousandths)."""
        found: list[tuple[int, int]] | None = self._heard.get(term)
        return found or []

    @cached_property
    def _words(self) -> _Table:
        return _table(self._data, "words")

    @cached_property
    def _heard(self) -> _Table:
        return _table(self._data, "heard")


class _Table:
    """Sorted `"key": value,` lines, searched by bisection."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data = data
        self._start = start
        self._stop = start if data.startswith(_END, start) else data.index(b"\n" + _END, start) + 1

    def get(self, key: str) -> Any:
        wanted = json.dumps(key).encode()
        data, low, high = self._data, self._start, self._stop
        while low < high:
            middle = data.rfind(b"\n", low, (low + high) // 2) + 1 or low
            end = data.index(b"\n", middle)
            colon = data.index(b'": ', middle, end) + 1
            found = data[middle:colon]
            if found == wanted:
                return json.loads(data[colon + 2 : end - 1])
            if found < wanted:
                low = end + 1
            else:
                high = middle
        return None


def _table(data: bytes, name: str) -> _Table:
    mark = f'\n"{name}": {{\n'.encode()
    return _Table(data, data.index(mark) + len(mark))


def render(head: Mapping[str, Any], *tables: Mapping[str, Any]) -> bytes:
    """The document, from its head and its tables in their order. The same parts give the same bytes."""
    lines = ["{", f'"format": {FORMAT},', f'"head": {_compact(head)},']
    for name, table in zip(_TABLES, tables, strict=True):
        entries = {json.dumps(key): _compact(value) for key, value in table.items()}
        lines.append(f'"{name}": {{')
        lines.extend(f"{key}: {entries[key]}," for key in sorted(entries))
        lines.append('"": null}' + ("}" if name == _TABLES[-1] else ","))
    return ("\n".join(lines) + "\n").encode("ascii")


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)

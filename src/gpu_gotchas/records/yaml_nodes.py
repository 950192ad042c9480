"""YAML as a tree that knows its lines. Only the plain part of YAML is let in.

Refused, each with its line: anchors, aliases, tags, directives, duplicate keys, a second document, deep
nesting, large files, invalid UTF-8, and characters that `characters` does not allow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from gpu_gotchas.records.characters import refused_characters
from gpu_gotchas.records.problems import Problem, RecordErrors

MAX_BYTES = 512 * 1024
MAX_DEPTH = 12

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class ScalarKind(Enum):
    """What a scalar is to YAML. ODD is text to some readers and something else to others."""

    TEXT = "text"
    NULL = "null"
    BOOLEAN = "a truth value"
    INTEGER = "a whole number"
    NUMBER = "a number"
    DATE = "a date"
    ODD = "more than text"


@dataclass(frozen=True, slots=True)
class Scalar:
    line: int
    value: str
    kind: ScalarKind


@dataclass(frozen=True, slots=True)
class Items:
    line: int
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    key: str
    line: int
    node: Node


@dataclass(frozen=True, slots=True)
class Table:
    line: int
    entries: tuple[Entry, ...]


Node: TypeAlias = Scalar | Items | Table

_PLAIN_KINDS = (
    (ScalarKind.NULL, re.compile(r"~|null|")),
    (ScalarKind.BOOLEAN, re.compile(r"true|false")),
    (ScalarKind.INTEGER, re.compile(r"-?(0|[1-9][0-9]*)")),
    (ScalarKind.NUMBER, re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")),
    (ScalarKind.DATE, re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?")),
)
_LONGEST_THAT_RESOLVES = 64


def kind_of(value: str) -> ScalarKind:
    """The kind of a scalar that stands without quotes."""
    if len(value) > _LONGEST_THAT_RESOLVES:
        return ScalarKind.TEXT
    for kind, pattern in _PLAIN_KINDS:
        if pattern.fullmatch(value):
            return kind
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers
    odd = any(pattern.match(value) for _, pattern in resolvers.get(value[0], ()))
    return ScalarKind.ODD if odd else ScalarKind.TEXT


def read_yaml(path: Path, *, most: int = MAX_BYTES) -> Node:
    """The one document of a file of at most `most` bytes.

    Raises RecordErrors, and nothing else, on anything that is not allowed.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except OSError as error:
        raise RecordErrors([Problem(path, None, f"cannot be read: {error.strerror or error}")]) from None
    if len(raw) > most:
        raise RecordErrors(
            [Problem(path, None, f"is larger than {most // 1024} KiB: split it or shorten it")]
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise RecordErrors([Problem(path, line, "is not valid UTF-8: save the file as UTF-8")]) from None
    return compose(text, path)


def compose(text: str, path: Path, loader: Any = None) -> Node:
    """As `read_yaml`, for text that was read already. path: named in problems."""
    text = text.replace("\r\n", "\n")
    if refused := refused_characters(text):
        raise RecordErrors(Problem(path, line, message) for line, message in refused)
    composer = _Composer(path)
    try:
        node = composer.document(yaml.parse(text, Loader=loader or LOADER))
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        composer.refuse(
            mark.line + 1 if mark else None, f"is not YAML: {error.problem or error}{_hint(error)}"
        )
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        composer.refuse(None, f"is not YAML: {error}")
    if composer.problems:
        raise RecordErrors(composer.problems)
    return node


def _hint(error: yaml.MarkedYAMLError) -> str:
    return ' (quote text that holds ": " or " #")' if "mapping values" in (error.problem or "") else ""


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


class _Composer:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[Problem] = []

    def refuse(self, line: int | None, message: str) -> None:
        self.problems.append(Problem(self.path, line, message))

    def document(self, events: Iterator[Any]) -> Node:
        root: Node | None = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                line = _line(event)
                if event.version or event.tags:
                    self.refuse(line, "YAML directives are not allowed: take the line out")
                if root is not None:
                    self.refuse(line, "a second document is not allowed: one file holds one document")
                    return root
                root = self.node(next(events), events, 1)
        if root is None:
            self.refuse(None, "is empty")
            return Scalar(1, "", ScalarKind.NULL)
        return root

    def node(self, event: Any, events: Iterator[Any], depth: int) -> Node:
        line = _line(event)
        if depth > MAX_DEPTH:
            self.refuse(line, f"is nested more than {MAX_DEPTH} levels deep")
            raise RecordErrors(self.problems)
        if isinstance(event, yaml.AliasEvent):
            self.refuse(line, f"alias *{event.anchor} is not allowed: write the value out")
            return Scalar(line, "", ScalarKind.NULL)
        if event.anchor is not None:
            self.refuse(
                line, f"anchor &{event.anchor} is not allowed: write the value out where it is needed"
            )
        if event.tag is not None:
            self.refuse(line, f"tag {event.tag} is not allowed: take it out")
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event, line)
        if isinstance(event, yaml.SequenceStartEvent):
            return Items(line, tuple(self.children(events, yaml.SequenceEndEvent, depth)))
        return Table(line, tuple(self.entries(events, depth)))

    def scalar(self, event: Any, line: int) -> Scalar:
        # An escape in double quotes brings in what the file's own text did not show.
        for _, message in refused_characters(event.value)[:1]:
            self.refuse(line, message)
        kind = kind_of(event.value) if event.implicit[0] else ScalarKind.TEXT
        return Scalar(line, event.value, kind)

    def children(self, events: Iterator[Any], end: type, depth: int) -> Iterator[Node]:
        while not isinstance(event := next(events), end):
            yield self.node(event, events, depth + 1)

    def entries(self, events: Iterator[Any], depth: int) -> Iterator[Entry]:
        first_line: dict[str, int] = {}
        children = self.children(events, yaml.MappingEndEvent, depth)
        for key in children:
            value = next(children)
            if not isinstance(key, Scalar):
                self.refuse(key.line, "a key must be a word, not a list or a mapping")
            elif key.value in first_line:
                self.refuse(
                    key.line,
                    f"key {key.value!r} stands twice: line {first_line[key.value]} has it already",
                )
            else:
                first_line[key.value] = key.line
                yield Entry(key.value, key.line, value)


def line_index(node: Node, where: str = "") -> dict[str, int]:
    """From each place in a document, such as `affects[0].hardware`, to its line; "" is the document."""
    index = {where: node.line}
    if isinstance(node, Items):
        for number, item in enumerate(node.items):
            index |= line_index(item, f"{where}[{number}]")
    elif isinstance(node, Table):
        for entry in node.entries:
            place = f"{where}.{entry.key}" if where else entry.key
            index |= line_index(entry.node, place) | {place: entry.line}
    return index

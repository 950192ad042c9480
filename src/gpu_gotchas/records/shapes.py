"""Small parts from which the shape of a YAML document is put together.

A shape turns a node into a value, or reports what is wrong and returns BAD. Nothing stops at the first
problem: a table asks all its fields, a list all its items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar

from gpu_gotchas.records.problems import Problem
from gpu_gotchas.records.yaml_nodes import Items, Node, Scalar, ScalarKind, Table


class Bad(Enum):
    """The value of a node that a problem was reported for."""

    BAD = "bad"


BAD: Final[Literal[Bad.BAD]] = Bad.BAD

T = TypeVar("T")
U = TypeVar("U")
E = TypeVar("E", bound=Enum)


@dataclass(frozen=True, slots=True)
class Sink:
    """Where problems go. where: the place in the document that is being read."""

    path: Path
    problems: list[Problem]
    where: str = ""

    def at(self, step: str | int) -> Sink:
        if isinstance(step, int):
            return Sink(self.path, self.problems, f"{self.where}[{step}]")
        return Sink(self.path, self.problems, f"{self.where}.{step}" if self.where else step)

    def refuse(self, line: int, message: str) -> Literal[Bad.BAD]:
        place = f"{self.where}: " if self.where else ""
        self.problems.append(Problem(self.path, line, place + message))
        return BAD


Shape: TypeAlias = Callable[[Node, Sink], T | Bad]


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean …?`, or nothing when no known word is near."""
    near = get_close_matches(word, sorted(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _found(node: Node) -> str:
    if isinstance(node, Scalar):
        return f"{node.value!r}" if node.kind is not ScalarKind.NULL else "nothing"
    return "a list" if isinstance(node, Items) else "a mapping"


def text(
    pattern: str | None = None, wanted: str = "text", *, longest: int = 300, one_line: bool = True
) -> Shape[str]:
    """Quoted or unmistakable text. pattern: what all of it must match; wanted: the same in words."""
    compiled = re.compile(pattern) if pattern else None

    def read(node: Node, sink: Sink) -> str | Bad:
        if not isinstance(node, Scalar) or node.kind is ScalarKind.NULL:
            return sink.refuse(node.line, f"must be {wanted}, not {_found(node)}")
        if node.kind is not ScalarKind.TEXT:
            quoted = f'"{node.value}"'
            return sink.refuse(node.line, f"{node.value} is {node.kind.value} to YAML: quote it, {quoted}")
        value = node.value
        if not value.strip():
            return sink.refuse(node.line, f"must be {wanted}, not empty")
        if len(value) > longest:
            return sink.refuse(node.line, f"has {len(value)} characters, at most {longest} are allowed")
        if one_line and "\n" in value:
            return sink.refuse(node.line, "must stand on one line (a folded text ends with >-)")
        if one_line and value != value.strip():
            return sink.refuse(node.line, "must not begin or end with a blank")
        if compiled and not compiled.fullmatch(value):
            return sink.refuse(node.line, f"must be {wanted}, not {value!r}")
        return value.strip()

    return read


def prose(longest: int = 6000) -> Shape[str]:
    """Text that may run over several lines."""
    return text(longest=longest, one_line=False)


def choice(kind: type[E]) -> Shape[E]:
    """One of an enumeration's values."""
    return parsed(one_of([str(member.value) for member in kind]), kind)


def one_of(names: Iterable[str]) -> Shape[str]:
    allowed = tuple(names)
    spelled = ", ".join(allowed)
    read_text = text(wanted=f"one of {spelled}")

    def read(node: Node, sink: Sink) -> str | Bad:
        value = read_text(node, sink)
        if value is BAD or value in allowed:
            return value
        return sink.refuse(
            node.line, f"must be one of {spelled}, not {value!r}{suggestion(str(value), allowed)}"
        )

    return read


def integer(least: int, most: int) -> Shape[int]:
    def read(node: Node, sink: Sink) -> int | Bad:
        if not isinstance(node, Scalar) or node.kind is not ScalarKind.INTEGER:
            return sink.refuse(node.line, f"must be a whole number without quotes, not {_found(node)}")
        if not least <= int(node.value) <= most:
            return sink.refuse(node.line, f"must lie between {least} and {most}, not {node.value}")
        return int(node.value)

    return read


def boolean(node: Node, sink: Sink) -> bool | Bad:
    if not isinstance(node, Scalar) or node.kind is not ScalarKind.BOOLEAN:
        return sink.refuse(node.line, f"must be true or false without quotes, not {_found(node)}")
    return node.value == "true"


def parsed(shape: Shape[U], parse: Callable[[U], T]) -> Shape[T]:
    """What `parse` makes of a value; its ValueError becomes the problem."""

    def read(node: Node, sink: Sink) -> T | Bad:
        value = shape(node, sink)
        if isinstance(value, Bad):
            return BAD
        try:
            return parse(value)
        except ValueError as error:
            return sink.refuse(node.line, str(error))

    return read


def nullable(shape: Shape[T]) -> Shape[T | None]:
    def read(node: Node, sink: Sink) -> T | Bad | None:
        if isinstance(node, Scalar) and node.kind is ScalarKind.NULL:
            return None
        return shape(node, sink)

    return read


def items(shape: Shape[T], *, least: int = 0, unique: bool = False) -> Shape[tuple[T, ...]]:
    """A list. unique: no item may stand in it twice."""

    def read(node: Node, sink: Sink) -> tuple[T, ...] | Bad:
        if not isinstance(node, Items):
            return sink.refuse(node.line, f"must be a list, not {_found(node)}")
        if len(node.items) < least:
            return sink.refuse(node.line, f"must have at least {least} item{'s' if least > 1 else ''}")
        values: list[T] = []
        for number, item in enumerate(node.items):
            value = shape(item, sink.at(number))
            if isinstance(value, Bad):
                continue
            if unique and value in values:
                sink.at(number).refuse(item.line, f"{value!r} stands in this list already")
                continue
            values.append(value)
        return tuple(values) if len(values) == len(node.items) else BAD

    return read


def mapping(keys: Shape[str], shape: Shape[T], *, least: int = 0) -> Shape[dict[str, T]]:
    """A mapping whose keys are not known beforehand."""

    def read(node: Node, sink: Sink) -> dict[str, T] | Bad:
        if not isinstance(node, Table):
            return sink.refuse(node.line, f"must be a mapping, not {_found(node)}")
        if len(node.entries) < least:
            return sink.refuse(node.line, "must not be empty")
        values: dict[str, T] = {}
        for entry in node.entries:
            inside = sink.at(entry.key)
            # A key is text whatever YAML makes of it: `on` is a word here.
            key = keys(Scalar(entry.line, entry.key, ScalarKind.TEXT), inside)
            value = shape(entry.node, inside)
            if not isinstance(key, Bad) and not isinstance(value, Bad):
                values[key] = value
        return values if len(values) == len(node.entries) else BAD

    return read


def table(
    build: Callable[..., T],
    required: Mapping[str, Shape[Any]],
    optional: Mapping[str, tuple[Shape[Any], Any]] | None = None,
) -> Shape[T]:
    """A mapping with known keys, handed to `build` by name.

    optional: shape and default of keys that may be absent.
    """
    optional = optional or {}
    known: dict[str, Shape[Any]] = {**required, **{name: shape for name, (shape, _) in optional.items()}}
    defaults = {name: default for name, (_, default) in optional.items()}

    def read(node: Node, sink: Sink) -> T | Bad:
        if not isinstance(node, Table):
            return sink.refuse(node.line, f"must be a mapping with {', '.join(known)}, not {_found(node)}")
        values: dict[str, Any] = {}
        good = True
        for entry in node.entries:
            if entry.key not in known:
                hint = suggestion(entry.key, known) or f"; known keys are {', '.join(known)}"
                sink.refuse(entry.line, f"unknown key {entry.key!r}{hint}")
                good = False
                continue
            value = known[entry.key](entry.node, sink.at(entry.key))
            good = good and not isinstance(value, Bad)
            values[entry.key] = value
        present = {entry.key for entry in node.entries}
        for name in required:
            if name not in present:
                sink.refuse(node.line, f"key {name!r} is missing")
                good = False
        return _build(build, defaults | values, node, sink) if good else BAD

    return read


def _build(build: Callable[..., T], values: Mapping[str, Any], node: Node, sink: Sink) -> T | Bad:
    """`build(**values)`; a ValueError, raised for fields that do not fit together, becomes the problem."""
    try:
        return build(**values)
    except ValueError as error:
        return sink.refuse(node.line, str(error))


def either(word: str, value: T, otherwise: Shape[T]) -> Shape[T]:
    """`value` where the scalar `word` stands, else what the other shape makes of the node."""

    def read(node: Node, sink: Sink) -> T | Bad:
        if isinstance(node, Scalar):
            if node.value == word and node.kind is ScalarKind.TEXT:
                return value
            return sink.refuse(node.line, f"must be {word} or a mapping, not {_found(node)}")
        return otherwise(node, sink)

    return read

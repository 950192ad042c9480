"""Line templates: how a signature says what a program prints.

A template is text with holes: `{int}`, `{hex}`, `{path}`, `{word}`, `{any}`, or named, `{required:int}`; a
literal brace is doubled. It matches anywhere in a line, but never so that its end cuts a number in two. A
run of blanks counts as one, and no hole is empty. Of several ways to match, the leftmost wins, and in it
each hole takes as much as it can, `{any}` as little: what a regular expression would do, in time linear in
the line's length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from gpu_gotchas.records.holes import HOLES, Hole, Literal

if TYPE_CHECKING:
    from gpu_gotchas.records.model import Signature

Part = Literal | Hole

_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+")
_HOLE = re.compile(r"(?:([a-z][a-z0-9_]*):)?([a-z]+)")
_INSIDE_NUMBER = re.compile(r"(?<=[0-9])(?=[0-9])")


@dataclass(frozen=True)
class Template:
    """A parsed template. source: as it was written. parts: literals and holes, in order."""

    source: str
    parts: tuple[Part, ...]

    @classmethod
    def parse(cls, text: str) -> Template:
        """Raises ValueError for an open brace, an unknown hole, or a template of nothing but holes."""
        return _parse(text)

    @cached_property
    def literals(self) -> tuple[str, ...]:
        return tuple(part.text for part in self.parts if isinstance(part, Literal))

    @cached_property
    def longest_literal(self) -> str:
        """What every matching line holds, its blanks made one: a cheap test to make first."""
        return max(self.literals, key=len)

    @property
    def shape(self) -> str:
        """The template without the names of its holes: two of the same shape match the same lines."""
        return "".join(_write(part) for part in self.parts)

    def find(self, line: str) -> dict[str, str] | None:
        """The values of the named holes, or None when the template stands nowhere in the line."""
        return self.find_normal(normal_blanks(line))

    def find_normal(self, line: str) -> dict[str, str] | None:
        """As `find`, for a line that went through `normal_blanks` already."""
        if not all(literal in line for literal in self.literals):
            return None
        size = len(line)
        edges = _edges(line)
        # from_here[k]: the places from which parts k and later match, found from the last part to the first.
        from_here = [edges]
        for part in reversed(self.parts):
            from_here.append(part.before(line, from_here[-1]))
        from_here.reverse()
        starts = from_here[0] & edges
        if not starts:
            return None
        at = size - (starts.bit_length() - 1)
        values: dict[str, str] = {}
        for part, after in zip(self.parts, from_here[1:], strict=True):
            end = at + len(part.text) if isinstance(part, Literal) else part.end(line, at, after)
            if isinstance(part, Hole) and part.name:
                values[part.name] = line[at:end]
            at = end
        return values


def normal_blanks(line: str) -> str:
    """The line with every run of blanks made one, and none at its ends."""
    return " ".join(line.split())


def _edges(line: str) -> int:
    """The places where a match may begin or end: everywhere but between two digits."""
    flags = bytearray(b"1" * (len(line) + 1))
    for match in _INSIDE_NUMBER.finditer(line):
        flags[match.start()] = 48  # ord("0")
    return int(flags, 2)


def _write(part: Part) -> str:
    if isinstance(part, Literal):
        return part.text.replace("{", "{{").replace("}", "}}")
    return "{" + part.kind + "}"


@lru_cache(maxsize=4096)
def _parse(source: str) -> Template:
    parts: list[Part] = []
    literal = ""
    names: set[str] = set()
    for token in _TOKEN.finditer(normal_blanks(source)):
        text, inside = token.group(), token.group(1)
        if inside is None:
            if text in "{}":
                raise ValueError(f"brace {text!r} has no partner: a literal brace is doubled, {text * 2!r}")
            literal += {"{{": "{", "}}": "}"}.get(text, text)
            continue
        hole = _hole(inside)
        if hole.name in names:
            raise ValueError(f"hole {hole.name!r} stands twice in one template: give each its own name")
        if hole.name:
            names.add(hole.name)
        parts += [Literal(literal), hole] if literal else [hole]
        literal = ""
    if literal:
        parts.append(Literal(literal))
    if not any(isinstance(part, Literal) for part in parts):
        raise ValueError("holds nothing but holes, and would match any line")
    return Template(source, tuple(parts))


def _hole(inside: str) -> Hole:
    match = _HOLE.fullmatch(inside)
    if match is None or match[2] not in HOLES:
        known = ", ".join("{" + kind + "}" for kind in HOLES)
        raise ValueError(f"{{{inside}}} is no hole: there are {known}, named as in {{required:int}}")
    return replace(HOLES[match[2]], name=match[1])


@dataclass(frozen=True, slots=True)
class LineMatch:
    """template: as written. line: index of the line that met it. values: of its named holes."""

    template: str
    line: int
    values: dict[str, str]


@dataclass(frozen=True, slots=True)
class SignatureMatch:
    """lines: one match for each template of the signature. context: those context templates that were met."""

    lines: tuple[LineMatch, ...]
    context: tuple[LineMatch, ...]

    @property
    def values(self) -> dict[str, str]:
        """The values of all named holes; where a name returns, its first value."""
        values: dict[str, str] = {}
        for match in reversed(self.lines):
            values |= match.values
        return values


def match_signature(signature: Signature, lines: Sequence[str]) -> SignatureMatch | None:
    """The first lines that meet all templates in order, each on the line of the one before or a later one."""
    normal = [normal_blanks(line) for line in lines]
    met: list[LineMatch] = []
    at = 0
    for source in signature.lines:
        found = _first(source, normal, at)
        if found is None:
            return None
        met.append(found)
        at = found.line
    context = (_first(source, normal, 0) for source in signature.context)
    return SignatureMatch(tuple(met), tuple(match for match in context if match))


def _first(source: str, normal: Sequence[str], start: int) -> LineMatch | None:
    template = Template.parse(source)
    for number in range(start, len(normal)):
        values = template.find_normal(normal[number])
        if values is not None:
            return LineMatch(source, number, values)
    return None

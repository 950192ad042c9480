"""What a lint rule is: a function with a reason, about one entry, alone or among the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, TypeVar

from gpu_gotchas.records.loading import RECORD
from gpu_gotchas.records.model import Candidate, Gotcha
from gpu_gotchas.records.problems import Problem

Entry: TypeAlias = Gotcha | Candidate


class Finding(NamedTuple):
    """where: the place in the entry, such as `affects[0].hardware`; "" is the entry as a whole."""

    where: str
    message: str


@dataclass(frozen=True)
class Base:
    """All records and candidates, and the day that counts as today."""

    gotchas: Sequence[Gotcha]
    candidates: Sequence[Candidate]
    today: date

    @property
    def entries(self) -> tuple[Entry, ...]:
        return (*self.gotchas, *self.candidates)

    @cached_property
    def by_id(self) -> Mapping[str, Gotcha]:
        return {gotcha.id: gotcha for gotcha in self.gotchas}

    @cached_property
    def ids(self) -> frozenset[str]:
        return frozenset(entry.id for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Rule:
    """id: the function's name with hyphens. why: its docstring. check: every problem in a base."""

    id: str
    why: str
    check: Callable[[Base], Iterator[Problem]]


RULES: dict[str, Rule] = {}

ForGotcha: TypeAlias = Callable[[Gotcha], Iterator[Finding]]
ForGotchaInBase: TypeAlias = Callable[[Gotcha, Base], Iterator[Finding]]
ForEntry: TypeAlias = Callable[[Entry], Iterator[Finding]]
ForEntryInBase: TypeAlias = Callable[[Entry, Base], Iterator[Finding]]
F = TypeVar("F", bound=Callable[..., Any])


def each_gotcha(rule: ForGotcha) -> ForGotcha:
    """A rule about one record."""
    return _register(rule, lambda base: ((gotcha, rule(gotcha)) for gotcha in base.gotchas))


def each_gotcha_in_base(rule: ForGotchaInBase) -> ForGotchaInBase:
    """A rule about one record among the others."""
    return _register(rule, lambda base: ((gotcha, rule(gotcha, base)) for gotcha in base.gotchas))


def each_entry(rule: ForEntry) -> ForEntry:
    """A rule about one record or candidate."""
    return _register(rule, lambda base: ((entry, rule(entry)) for entry in base.entries))


def each_entry_in_base(rule: ForEntryInBase) -> ForEntryInBase:
    """A rule about one record or candidate among the others."""
    return _register(rule, lambda base: ((entry, rule(entry, base)) for entry in base.entries))


def _register(rule: F, over: Callable[[Base], Iterator[tuple[Entry, Iterator[Finding]]]]) -> F:
    name = rule.__name__.replace("_", "-")
    if name in RULES:
        raise ValueError(f"two rules are called {name}")
    why = " ".join((rule.__doc__ or "").split())
    if not why:
        raise ValueError(f"rule {name} has no docstring that says why it exists")

    def check(base: Base) -> Iterator[Problem]:
        for entry, findings in over(base):
            for finding in findings:
                yield _problem(entry, finding, name)

    RULES[name] = Rule(name, why, check)
    return rule


def _problem(entry: Entry, finding: Finding, rule: str) -> Problem:
    path = entry.path / RECORD if isinstance(entry, Gotcha) else entry.path
    place = f"{finding.where}: " if finding.where else ""
    owner = f"{entry.id}: " if isinstance(entry, Candidate) else ""
    return Problem(path, line_of(entry.lines, finding.where), owner + place + finding.message, rule)


def line_of(lines: Mapping[str, int], where: str) -> int | None:
    """The line of a place, or of the nearest place around it that has one."""
    while where and where not in lines:
        where = re.sub(r"(\.?[^.\[]+|\[[0-9]+\])$", "", where)
    return lines.get(where)

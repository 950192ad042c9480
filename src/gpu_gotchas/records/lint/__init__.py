"""Rules that a schema cannot say, one small function each.

A rule is registered by its decorator under its own name; to add one, write it in the module of its topic and
give it a bad and a good example in tests/records/lint/examples.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime

from gpu_gotchas.records.lint import (
    cases,
    dates,
    evidence,
    fixes,
    identity,
    relations,
    repros,
    signatures,
    status,
    text,
)
from gpu_gotchas.records.lint.base import RULES, Base, Rule
from gpu_gotchas.records.model import Candidate, Gotcha
from gpu_gotchas.records.problems import Problem, in_order

__all__ = ["RULES", "Base", "Rule", "lint"]

_TOPICS = (cases, dates, evidence, fixes, identity, relations, repros, signatures, status, text)


def lint(
    gotchas: Sequence[Gotcha], candidates: Sequence[Candidate], today: date | None = None
) -> list[Problem]:
    """Every problem that a rule finds, in the order of files and lines. today: the present day in UTC."""
    base = Base(gotchas, candidates, today or datetime.now(UTC).date())
    return list(in_order(problem for rule in RULES.values() for problem in rule.check(base)))

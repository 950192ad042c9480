"""What is wrong with a record, and where: the one form in which loader and lint report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Problem:
    """line: from 1, None when the whole file is meant. rule: the lint rule's id, None from the loader."""

    path: Path
    line: int | None
    message: str
    rule: str | None = None

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{place}: {self.message}" + (f" [{self.rule}]" if self.rule else "")


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Each problem once, by file, line and text."""
    return tuple(
        sorted(set(problems), key=lambda p: (str(p.path), p.line or 0, p.message, p.rule or "")),
    )


class RecordErrors(Exception):
    """Records that cannot be loaded. Holds every problem that was found, never only the first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = in_order(problems)
        super().__init__("\n".join(map(str, self.problems)))

"""What a reader of one format is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gpu_gotchas.doctor.facts import Facts


class UnreadableFile(ValueError):
    """A file that says nothing of a machine. problems: each names the file and what would be right."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text, and where it lies."""

    text: str
    path: Path


@dataclass(frozen=True, slots=True)
class Reader:
    """name: the format in words. recognises: by content alone, never raises.

    read: Facts, or ValueError saying what is wrong. whole: the format takes up the file, so that nothing else
    is looked for in it; others may stand side by side in one paste.
    """

    name: str
    recognises: Callable[[Text], bool]
    read: Callable[[Text], Facts]
    whole: bool

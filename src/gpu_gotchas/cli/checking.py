"""What `gotchas check` finds in one folder of records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpu_gotchas.records.lint import lint
from gpu_gotchas.records.loading import CANDIDATES, RECORD, load_candidates, load_gotcha, record_folders
from gpu_gotchas.records.model import Candidate, Gotcha
from gpu_gotchas.records.problems import Problem, RecordErrors, in_order
from gpu_gotchas.repro.proof import check_proofs

BLANK = "FILL:"
"""Marks a blank that `gotchas new` leaves."""


@dataclass(frozen=True, slots=True)
class Report:
    """folders: every record looked at. unreadable: from the loader. findings: lint, proofs and blanks."""

    folders: tuple[Path, ...]
    unreadable: tuple[Problem, ...]
    findings: tuple[Problem, ...]


def check_root(records: Path) -> Report:
    """Loads, lints and asks for proofs of all below a folder; what cannot be loaded hides nothing else.

    A line with a blank is reported as that alone: what else is wrong with it is not its author's word yet.
    """
    unreadable: list[Problem] = []
    gotchas: list[Gotcha] = []
    candidates: Sequence[Candidate] = ()
    folders = record_folders(records)
    for folder in folders:
        try:
            gotchas.append(load_gotcha(folder))
        except RecordErrors as errors:
            unreadable += errors.problems
    try:
        candidates = load_candidates(records)
    except RecordErrors as errors:
        unreadable += errors.problems
    left = list(blanks(folders))
    marked = {(problem.path, problem.line) for problem in left}
    findings = [
        problem
        for problem in (*lint(gotchas, candidates), *check_proofs(gotchas))
        if (problem.path, problem.line) not in marked
    ]
    return Report(tuple(folders), tuple(unreadable), in_order([*findings, *left]))


def blanks(folders: Sequence[Path]) -> Iterator[Problem]:
    """Each blank that still has to be filled, in records and repros."""
    for folder in folders:
        for path in (folder / RECORD, folder / "repro.py"):
            if path.is_file():
                for number, line in enumerate(path.read_text("utf-8", "replace").split("\n"), start=1):
                    if BLANK in line:
                        what = line.partition(BLANK)[2].strip(" \"'[](){}") or "this line"
                        yield Problem(path, number, f"a blank to fill: {what}", "blank")


def root_of(place: Path) -> Path:
    """The folder of records that a path belongs to: itself, or what holds the record it names."""
    if place.is_file():
        return place.parent if place.name == CANDIDATES else place.parent.parent
    return place.parent if (place / RECORD).exists() or (place / "repro.py").exists() else place


def concerns(problem: Problem, places: Sequence[Path]) -> bool:
    """Whether a problem lies at or below one of these paths."""
    path = problem.path.resolve()
    return any(path == place or place in path.parents for place in places)

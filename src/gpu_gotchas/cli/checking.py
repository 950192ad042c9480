"""What `gotchas check` finds in one folder of records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """folders: every record looked at. unreadable: from the loader. findings: lint, proofs and blanks.

    homes: files outside the records, to the folder of the record that they belong to.
    """

    folders: tuple[Path, ...]
    unreadable: tuple[Problem, ...]
    findings: tuple[Problem, ...]
    homes: Mapping[Path, Path]

    def home(self, problem: Problem) -> Path:
        """Where a problem counts as lying."""
        return self.homes.get(problem.path, problem.path)


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
    homes = {path: gotcha.path for gotcha in gotchas for path in fix_files(gotcha, records.parent)}
    left = list(blanks([*(folder / name for folder in folders for name in (RECORD, "repro.py")), *homes]))
    marked = {(problem.path, problem.line) for problem in left}
    findings = [
        problem
        for problem in (*lint(gotchas, candidates), *check_proofs(gotchas))
        if (problem.path, problem.line) not in marked
    ]
    return Report(tuple(folders), tuple(unreadable), in_order([*findings, *left]), homes)


def blanks(files: Iterable[Path]) -> Iterator[Problem]:
    """Each blank that still has to be filled, in those files that are there."""
    for path in files:
        if path.is_file():
            for number, line in enumerate(path.read_text("utf-8", "replace").split("\n"), start=1):
                if BLANK in line:
                    what = line.partition(BLANK)[2].strip(" \"'[](){}") or "this line"
                    yield Problem(path, number, f"a blank to fill: {what}", "blank")


def fix_files(gotcha: Gotcha, project: Path) -> Iterator[Path]:
    """The modules that a record's fixes name, and their tests, where they would lie in a working copy."""
    for fix in gotcha.fixes:
        if fix.use.startswith("gpu_gotchas."):
            names = fix.use.split(".")
            # `use` may name something within a module.
            for end in (len(names), len(names) - 1):
                *above, module = names[1:end]
                if above:
                    yield project.joinpath("src", "gpu_gotchas", *above, f"{module}.py")
                    yield project.joinpath("tests", *above, f"test_{module}.py")


def root_of(place: Path) -> Path:
    """The folder of records that a path belongs to: itself, or what holds the record it names."""
    if place.is_file():
        return place.parent if place.name == CANDIDATES else place.parent.parent
    return place.parent if (place / RECORD).exists() or (place / "repro.py").exists() else place


def within(path: Path, places: Sequence[Path]) -> bool:
    """Whether a path lies at or below one of these."""
    path = path.resolve()
    return any(path == place or place in path.parents for place in places)

"""From files to frozen records. Every function here raises RecordErrors, and nothing else, on a bad file."""

from __future__ import annotations

from pathlib import Path

from gpu_gotchas.records.candidates import read_candidates
from gpu_gotchas.records.gotcha_shape import read_gotcha
from gpu_gotchas.records.heard import Heard, read_heard
from gpu_gotchas.records.model import Candidate, Gotcha
from gpu_gotchas.records.problems import Problem, RecordErrors
from gpu_gotchas.records.root import root as default_root
from gpu_gotchas.records.shapes import Bad, Sink
from gpu_gotchas.records.yaml_nodes import MAX_BYTES, read_yaml

RECORD = "gotcha.yaml"
CANDIDATES = "_candidates.yaml"
HEARD = "_heard.yaml"
# All candidates share one file, where each record has its own.
MOST_CANDIDATE_BYTES = 4 * MAX_BYTES


def load_gotcha(folder: Path) -> Gotcha:
    """The record of one folder."""
    path = folder / RECORD
    if not path.is_file():
        raise RecordErrors([Problem(folder, None, f"holds no {RECORD}: add it, or take the folder out")])
    sink = Sink(path, [])
    gotcha = read_gotcha(read_yaml(path), folder, sink)
    if isinstance(gotcha, Bad):
        raise RecordErrors(sink.problems)
    return gotcha


def load_all(root: Path | None = None) -> tuple[Gotcha, ...]:
    """Every record below `root`, sorted by id. Names that begin with `_` or `.` are no records."""
    root = root or default_root()
    problems: list[Problem] = []
    gotchas: list[Gotcha] = []
    for folder in record_folders(root):
        try:
            gotchas.append(load_gotcha(folder))
        except RecordErrors as errors:
            problems += errors.problems
    if problems:
        raise RecordErrors(problems)
    return tuple(sorted(gotchas, key=lambda gotcha: gotcha.id))


def record_folders(root: Path) -> list[Path]:
    """The folders that should hold a record, sorted by name."""
    try:
        return sorted(p for p in root.iterdir() if p.is_dir() and not p.name.startswith(("_", ".")))
    except OSError as error:
        raise RecordErrors([Problem(root, None, f"cannot be listed: {error.strerror or error}")]) from None


def load_candidates(root: Path | None = None) -> tuple[Candidate, ...]:
    """Every candidate below `root`, sorted by id; none when there is no such file."""
    path = (root or default_root()) / CANDIDATES
    if not path.exists():
        return ()
    sink = Sink(path, [])
    candidates = read_candidates(read_yaml(path, most=MOST_CANDIDATE_BYTES), path, sink)
    if isinstance(candidates, Bad):
        raise RecordErrors(sink.problems)
    return tuple(sorted(candidates, key=lambda candidate: candidate.id))


def load_heard(root: Path | None = None) -> tuple[Heard, ...]:
    """What public reports show below `root`; nothing when there is no such file."""
    path = (root or default_root()) / HEARD
    if not path.exists():
        return ()
    sink = Sink(path, [])
    heard = read_heard(read_yaml(path, most=MOST_CANDIDATE_BYTES), sink)
    if isinstance(heard, Bad):
        raise RecordErrors(sink.problems)
    return heard

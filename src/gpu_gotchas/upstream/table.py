"""The table of patches and releases, made by running: what becomes of each patch in each release.

Two kinds of children for each release: some find out what a patch does to the code (`measure`), one does as a
server does with what is known by then (`serving`). The first write `verdicts.json`, the second `table.json`;
both are committed. `gotchas fixes table` makes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gpu_gotchas.upstream.patch import Answer, Patch
from gpu_gotchas.upstream.prepare import Finding, ask_child

FILE = Path(__file__).with_name("table.json")
VERSION = 1
PACKAGE = "vllm"
RELEASES = ("0.19.1", "0.20.0", "0.21.0", "0.24.0", "0.27.1", "0.30.0", "0.33.0")
"""Where a fault comes or goes, and the newest one."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What became of a patch in a release. outcome, why, detail: as in `outcome`, in words."""

    outcome: str
    why: str
    detail: str = ""


Table = Mapping[str, Mapping[str, Cell]]
"""By patch, then by release."""


def read(path: Path = FILE) -> dict[str, dict[str, Cell]]:
    """The committed table; an empty one where there is no file. Raises ValueError for a broken one."""
    if not path.is_file():
        return {}
    rows = json.loads(path.read_text(encoding="utf-8"))["fixes"]
    return {name: {release: Cell(**cell) for release, cell in row.items()} for name, row in rows.items()}


def write(table: Table, path: Path = FILE) -> None:
    rows = {
        name: {release: {key: text for key, text in asdict(row[release]).items() if text} for release in row}
        for name, row in sorted(table.items())
    }
    text = json.dumps({"version": VERSION, "package": PACKAGE, "fixes": rows}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def serve(patches: Sequence[Patch], package: Path) -> dict[str, Cell]:
    """What becomes of each patch in a process that serves from `package`."""
    said = ask_child("gpu_gotchas.upstream.serving", [patch.id for patch in patches], package)
    return {name: Cell(**cell) for name, cell in said.items()}


def helps(finding: Finding) -> bool:
    """Whether the patch made faulty code right."""
    verdict = finding.verdict
    return verdict is not None and (verdict.before, verdict.after) == (Answer.FAULTY, Answer.RIGHT)

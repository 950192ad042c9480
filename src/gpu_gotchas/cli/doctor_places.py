"""From the files that were asked about to the place of each finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gpu_gotchas.doctor.examination import Examination
from gpu_gotchas.doctor.places import Place, line_of
from gpu_gotchas.hardware.files import read_bounded
from gpu_gotchas.records.setting import Setting

_MOST_BYTES = 8 << 20


def places_of(
    examination: Examination, sources: Sequence[Path], known: Mapping[str, Setting]
) -> dict[str, Place]:
    """By id; nothing where no file below this folder was asked about. Of several files, the first that says
    why, else the first."""
    texts = [(file, _text(path)) for path in sources if (file := _relative(path)) is not None]
    found: dict[str, Place] = {}
    for one in (*examination.named, *(each for each, _ in examination.ignored)):
        launch = examination.situations[examination.servers_of(one.gotcha.id)[0] - 1].launch
        places = [Place(file, line_of(text, one, launch, known)) for file, text in texts]
        told = [place for place in places if place.line is not None] or places
        if told:
            found[one.gotcha.id] = told[0]
    return found


def _relative(path: Path) -> str | None:
    """As a link from this folder, None for what lies elsewhere or is no file."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix() if path.is_file() else None
    except (OSError, ValueError):
        return None


def _text(path: Path) -> str:
    try:
        return read_bounded(path, _MOST_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return ""

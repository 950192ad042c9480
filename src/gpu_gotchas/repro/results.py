"""Results: one line about one probe run, in files that survive a killed run."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier

FORMAT = 1
KEPT = "verified.jsonl"
_TARGET = re.compile(r"cpu|none|sm_[0-9]{2,3}[a-z]?|gfx[0-9]{1,4}[0-9a-f]{0,3}")
_LONGEST_LINE = 2**20
_LARGEST_FILE = 256 * 2**20


class ResultError(ValueError):
    """A line that is no result. path, line: where it stands, when it stands in a file."""

    def __init__(self, message: str, path: Path | None = None, line: int | None = None) -> None:
        self.message = message
        self.path = path
        self.line = line
        super().__init__(f"{path}:{line}: {message}" if path else message)


@dataclass(frozen=True, slots=True)
class Result:
    """proves: hash of what the run proved. seconds: wall time of the child. date: ISO 8601, UTC.

    reason: the symptom's own words, or why it did not run. masked_by: the record whose failure came first.
    versions: package to version, as the child saw them. package: `name==version` under test, in the package
    tier. stand_ins: what stood where its compiled parts, or a card, would be. device: the card's name, None
    without one. described: the hardware was read from a file, so the result is never kept. by: who ran it,
    None when not said. measured: what an observable came to.
    """

    gotcha: str
    tier: Tier
    target: str
    probe: Probe
    role: Role
    subject: Subject
    outcome: Outcome
    reason: str
    proves: str
    seconds: float
    versions: Mapping[str, str]
    device: str | None
    date: str
    by: str | None = None
    package: str | None = None
    masked_by: str | None = None
    described: bool = False
    measured: tuple[float, ...] = ()
    stand_ins: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str | None, ...]:
        """What makes two results answers to one question, of which the newest counts.

        Triton decides what compiles, so each release of it answers for itself.
        """
        return (
            self.gotcha, self.tier.value, self.target, self.probe.value, self.role.value,
            self.subject.value, self.package, self.device, self.versions.get("triton"),
        )  # fmt: skip

    def to_json(self) -> str:
        """One line. Absent and empty parts are left out, so that lines stay readable."""
        plain = {
            name: value.value if isinstance(value, Enum) else value
            for name, value in asdict(self).items()
            if name == "device" or not (value is None or value is False or value == ())
        }
        return json.dumps({"version": FORMAT, **plain}, ensure_ascii=False)


_ENUMS: dict[str, type[Enum]] = {
    "tier": Tier, "probe": Probe, "role": Role, "subject": Subject, "outcome": Outcome,
}  # fmt: skip
_TEXTS = ("gotcha", "target", "reason", "proves", "date")
_OPTIONAL_TEXTS = ("by", "package", "masked_by", "device")


def parse_result(line: str) -> Result:
    """A result from its line. Raises ResultError saying what would be right."""
    if len(line) > _LONGEST_LINE:
        raise ResultError(f"a result has at most {_LONGEST_LINE:,} characters, this one {len(line):,}")
    try:
        data = json.loads(line)
        # What is no text in UTF-8, half of a surrogate pair, could not be kept.
        json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ResultError(f"this is no JSON in UTF-8: {error}") from error
    if not isinstance(data, dict) or data.pop("version", None) != FORMAT:
        raise ResultError(f'a result is an object with "version": {FORMAT}')
    known = {field.name for field in fields(Result)}
    if unknown := data.keys() - known:
        raise ResultError(f"unknown {', '.join(sorted(unknown))}; a result has {', '.join(sorted(known))}")
    for name, kind in _ENUMS.items():
        allowed = [member.value for member in kind]
        if data.get(name) not in allowed:
            raise ResultError(f"{name} must be one of {', '.join(allowed)}, not {data.get(name)!r}")
        data[name] = kind(data[name])
    _check_texts(data)
    _check_numbers(data)
    return Result(
        **{
            **data,
            "device": data.get("device"),
            "measured": tuple(data.get("measured", ())),
            "stand_ins": tuple(data.get("stand_ins", ())),
        }
    )


def _check_texts(data: dict[str, Any]) -> None:
    for name in _TEXTS:
        if not isinstance(data.get(name), str):
            raise ResultError(f"{name} must be text")
    for name in _OPTIONAL_TEXTS:
        if not isinstance(data.get(name), str | None):
            raise ResultError(f"{name} must be text or left out")
    stand_ins = data.get("stand_ins", [])
    if not isinstance(stand_ins, list) or not all(isinstance(name, str) for name in stand_ins):
        raise ResultError("stand_ins must be a list of names")
    target = data["target"]
    if not _TARGET.fullmatch(target):
        raise ResultError(f"target must be cpu, none, or such as sm_86 or gfx942, not {target[:40]!r}")
    _check_date(data["date"])


def _check_date(date: str) -> None:
    example = 'date must be ISO 8601 with its offset, such as "2026-01-31T12:00:00+00:00"'
    try:
        zone = datetime.fromisoformat(date).tzinfo
    except ValueError as error:
        raise ResultError(f"{example}: {error}") from error
    if zone is None:
        raise ResultError(f"{example}: {date!r} has none")


def _check_numbers(data: dict[str, Any]) -> None:
    if not _is_number(data.get("seconds")) or data["seconds"] < 0:
        raise ResultError("seconds must be a number, 0 or more")
    versions = data.get("versions")
    if not isinstance(versions, dict) or not all(isinstance(version, str) for version in versions.values()):
        raise ResultError("versions must map package names to text")
    measured = data.get("measured", [])
    if not isinstance(measured, list) or not all(_is_number(number) for number in measured):
        raise ResultError("measured must be a list of numbers")
    if not isinstance(data.get("described", False), bool):
        raise ResultError("described must be true or false")


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


def read_results(path: Path) -> list[Result]:
    """The results of a file, in order; none when it is not there. A cut-off last line is left out.

    Raises ResultError naming file and line.
    """
    if not path.exists():
        return []
    if path.stat().st_size > _LARGEST_FILE:
        raise ResultError(f"a file of results has at most {_LARGEST_FILE >> 20} MiB", path, 1)
    # Lines end with a line feed alone: a reason may hold other characters that Python would split at.
    *lines, rest = path.read_bytes().decode("utf-8", errors="replace").split("\n")
    results = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            results.append(parse_result(line))
        except ResultError as error:
            raise ResultError(str(error), path, number) from error
    with suppress(ResultError):  # without its line feed, the run may have been killed while it wrote this
        results += [parse_result(rest)] if rest.strip() else []
    return results


def fold(kept: Iterable[Result], new: Iterable[Result]) -> list[Result]:
    """Both together, the newest answer to each question, in a stable order. Folding twice changes nothing."""
    newest: dict[tuple[str | None, ...], Result] = {}
    for result in [*kept, *new]:
        known = newest.get(result.key)
        if known is None or _when(result) >= _when(known):
            newest[result.key] = result
    return [newest[key] for key in sorted(newest, key=_order)]


def _order(key: tuple[str | None, ...]) -> list[tuple[bool, str]]:
    return [(part is not None, part or "") for part in key]


def _when(result: Result) -> tuple[float, str]:
    moment = datetime.fromisoformat(result.date)
    return moment.timestamp(), result.to_json()

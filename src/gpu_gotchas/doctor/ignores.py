"""Gotchas that a project has decided to live with, each with a reason and a day on which it is asked again.

```toml
[[tool.gpu-gotchas.ignore]]        # in pyproject.toml; [[ignore]] in a file of its own
id = "triton-fp8e4nv-below-sm89"
reason = "The kernel is never called: we serve bfloat16."
until = "2027-03-31"
```
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from gpu_gotchas.doctor.assess import Assessment, Verdict
from gpu_gotchas.hardware.files import read_bounded

MAX_BYTES = 1 << 20
KEYS = ("id", "reason", "until")


class IgnoresError(ValueError):
    """A file whose ignores cannot be used: every line names the file, the entry and what would be right."""


@dataclass(frozen=True, slots=True)
class Ignore:
    """until: the last day on which it holds."""

    id: str
    reason: str
    until: date


@dataclass(frozen=True, slots=True)
class Sorted:
    """kept: what stands. ignored: with the ignore that covers it. complaints: ignores that do nothing."""

    kept: tuple[Assessment, ...]
    ignored: tuple[tuple[Assessment, Ignore], ...]
    complaints: tuple[str, ...]


def read_ignores(path: Path) -> tuple[Ignore, ...]:
    """The ignores of a pyproject.toml or of a file of their own. Raises IgnoresError."""
    import tomllib  # only where there is a file

    try:
        raw = read_bounded(path, MAX_BYTES)
        if len(raw) > MAX_BYTES:
            raise IgnoresError(f"{path}: has more than {MAX_BYTES} bytes")
        data: Any = tomllib.loads(raw.decode("utf-8"))
    except OSError as error:
        raise IgnoresError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise IgnoresError(f"{path}: is no TOML: {error}") from None
    where = "ignore"
    if path.name == "pyproject.toml":
        data, where = _below(data, "tool", "gpu-gotchas"), "tool.gpu-gotchas.ignore"
    return _ignores(data.get("ignore", []), f"{path}: {where}")


def sort_out(
    found: Iterable[Assessment], ignores: Sequence[Ignore], known: Mapping[str, str], today: date
) -> Sorted:
    """Take out what is ignored. known: every id and alias to its id. What has expired ignores nothing."""
    complaints: list[str] = []
    holding: dict[str, Ignore] = {}
    for ignore in ignores:
        name = known.get(ignore.id)
        if name is None:
            complaints.append(f"{ignore.id} is ignored, and no record has that id: take it out")
        elif ignore.until < today:
            complaints.append(
                f"{ignore.id} was ignored until {ignore.until}: look again, or give a later day"
            )
        else:
            holding[name] = ignore
    kept, ignored = [], []
    for one in found:
        cover = holding.get(one.gotcha.id)
        if cover is not None and one.verdict is not Verdict.CANNOT:
            ignored.append((one, cover))
            holding.pop(one.gotcha.id)
        else:
            kept.append(one)
    complaints += [f"{one.id} is ignored, and cannot happen here: take it out" for one in holding.values()]
    return Sorted(tuple(kept), tuple(ignored), tuple(complaints))


def _below(data: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        data = data.get(key, {}) if isinstance(data, dict) else {}
    return data if isinstance(data, dict) else {}


def _ignores(entries: Any, where: str) -> tuple[Ignore, ...]:
    if not isinstance(entries, list):
        raise IgnoresError(f"{where}: wants a list: write [[{where.rpartition(' ')[2]}]] above each entry")
    problems: list[str] = []
    found: list[Ignore] = []
    for number, entry in enumerate(entries):
        fault, made = _ignore(entry)
        if fault:
            problems.append(f"{where}[{number}]: {fault}")
        elif made is not None:
            found.append(made)
    if problems:
        raise IgnoresError("\n".join(problems))
    return tuple(found)


def _ignore(entry: Any) -> tuple[str, Ignore | None]:
    if not isinstance(entry, dict):
        return "wants id, reason and until", None
    strange = [key for key in entry if key not in KEYS]
    if strange:
        return f"unknown key {strange[0]!r}: it has {', '.join(KEYS)}", None
    id, reason, until = (entry.get(key) for key in KEYS)
    if not isinstance(id, str) or not id.strip():
        return "wants the id of a gotcha", None
    if not isinstance(reason, str) or not reason.strip():
        return f"{id}: wants a reason, for whoever reads it next", None
    try:
        day = until if type(until) is date else date.fromisoformat(str(until))
    except ValueError:
        return f'{id}: wants until = "2027-03-31", the last day on which it holds', None
    return "", Ignore(id.strip(), reason.strip(), day)

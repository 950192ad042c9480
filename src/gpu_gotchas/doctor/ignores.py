"""Gotchas that a project has decided to live with, each with a reason and a day on which it is asked again.

```toml
[[tool.gpu-gotchas.ignore]]        # in pyproject.toml, or a file like it; [[ignore]] in a file of its own
id = "triton-fp8e4nv-below-sm89"
reason = "The kernel is never called: we serve bfloat16."
until = "2027-03-31"
```
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from gpu_gotchas.doctor.assess import Assessment, Verdict
from gpu_gotchas.hardware.files import read_bounded

MAX_BYTES = 1 << 20
KEYS = ("id", "reason", "until")
TABLE, ENTRY = "gpu-gotchas", "ignore"
_LIKE = 0.85


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
    entries, where = _found(data, path)
    return _ignores(entries, f"{path}: {where}")


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


def _found(data: dict[str, Any], path: Path) -> tuple[Any, str]:
    """The entries and the name of their table. In a pyproject.toml, and in a file like one, other tables
    belong to other programs; a file of its own holds nothing else. A name that is not quite ours is an
    error."""
    tools = data.get("tool")
    tools = tools if isinstance(tools, dict) else {}
    for name in tools:
        if name != TABLE and _like(name, TABLE):
            raise IgnoresError(f"{path}: [tool.{name}] is not read: write [[tool.{TABLE}.{ENTRY}]]")
    project = path.name == "pyproject.toml"
    if not project and TABLE not in tools:
        _only_entries(data, path, "")
        return data.get(ENTRY, []), ENTRY
    for name in data:
        if _like(name, ENTRY):
            raise IgnoresError(f"{path}: [[{name}]] is not read here: write [[tool.{TABLE}.{ENTRY}]]")
    ours = tools.get(TABLE, {})
    if not isinstance(ours, dict):
        raise IgnoresError(f"{path}: tool.{TABLE} wants a table: write [[tool.{TABLE}.{ENTRY}]]")
    _only_entries(ours, path, f"tool.{TABLE}.")
    return ours.get(ENTRY, []), f"tool.{TABLE}.{ENTRY}"


def _only_entries(table: dict[str, Any], path: Path, above: str) -> None:
    strange = next((name for name in table if name != ENTRY), None)
    if strange is not None:
        raise IgnoresError(f"{path}: unknown key {above}{strange}: write [[{above}{ENTRY}]] above each entry")


def _like(name: str, ours: str) -> bool:
    """Whether a name is ours but for its case, its hyphens, a letter or the plural."""
    plain, wanted = (re.sub(r"[^a-z0-9]", "", one.lower()) for one in (name, ours))
    return plain == wanted or bool(get_close_matches(plain, [wanted], cutoff=_LIKE)) or plain == "gotchas"


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
        near = get_close_matches(strange[0].lower(), KEYS, n=1)
        meant = f"{near[0]} may be meant; " if near else ""
        return f"unknown key {strange[0]!r}: {meant}it has {', '.join(KEYS)}", None
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

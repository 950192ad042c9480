"""What was found out beforehand about the very code that is installed: with a patch and without.

Some verdicts come with this package (`verdicts.json`, made by running, see `table`), others were found out on
this machine by `gotchas fixes prepare`. Reading them takes the standard library only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gpu_gotchas.cache import cache_folder
from gpu_gotchas.upstream.patch import Answer, Patch

SHIPPED = Path(__file__).with_name("verdicts.json")
VERSION = 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one patch does to one piece of code.

    signature: of the code. before, after: its answers without and with the patch; both say UNASKED where it
    could not be asked. card: the target that was stood in for. triton: the release that compiled, for a patch
    whose answer takes a compiler. releases: of the package, in which this very code was asked.
    """

    patch: str
    signature: str
    before: Answer
    after: Answer
    card: str | None = None
    triton: str | None = None
    releases: tuple[str, ...] = ()

    def holds_for(self, patch: Patch, signature: str, versions: Mapping[str, str]) -> bool:
        """Whether this is about that code. Where a compiler's word counts, its release must be the same."""
        if (self.patch, self.signature) != (patch.id, signature):
            return False
        return not patch.compiled or _minor(self.triton) == _minor(versions.get("triton"))


@dataclass(frozen=True, slots=True)
class Verdicts:
    known: tuple[Verdict, ...] = ()

    def about(self, patch: Patch, signature: str, versions: Mapping[str, str]) -> Verdict | None:
        """The newest verdict about that code, or None."""
        return next((one for one in reversed(self.known) if one.holds_for(patch, signature, versions)), None)

    def with_these(self, found: Iterable[Verdict]) -> Verdicts:
        """These and those. Of two about the same code the later wins; where they agree, releases add up."""
        kept = {_key(one): one for one in self.known}
        for one in found:
            there = kept.get(_key(one))
            agrees = there is not None and (there.before, there.after) == (one.before, one.after)
            releases = {*one.releases, *(there.releases if there and agrees else ())}
            kept[_key(one)] = replace(one, releases=tuple(sorted(releases, key=_numbers)))
        return Verdicts(tuple(kept[key] for key in sorted(kept)))

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [{key: value for key, value in _row(one).items() if value} for one in self.known]
        path.write_text(json.dumps({"version": VERSION, "verdicts": rows}, indent=1) + "\n", encoding="utf-8")


def prepared_file() -> Path:
    """Where `gotchas fixes prepare` remembers what it found out on this machine."""
    return cache_folder() / "fixes" / "verdicts.json"


def read(path: Path) -> Verdicts:
    """The verdicts in a file. A file that is not there, or that cannot be read, holds none."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["verdicts"]
        return Verdicts(tuple(_verdict(row) for row in rows))
    except (OSError, ValueError, KeyError, TypeError):
        return Verdicts()


def all_known() -> Verdicts:
    """What comes with the package, and what this machine found out, which counts as newer."""
    return Verdicts(read(SHIPPED).known + read(prepared_file()).known)


def _row(verdict: Verdict) -> dict[str, Any]:
    return {**asdict(verdict), "before": verdict.before.value, "after": verdict.after.value}


def _verdict(row: Mapping[str, Any]) -> Verdict:
    return Verdict(
        patch=str(row["patch"]),
        signature=str(row["signature"]),
        before=Answer(row["before"]),
        after=Answer(row["after"]),
        card=row.get("card"),
        triton=row.get("triton"),
        releases=tuple(map(str, row.get("releases", ()))),
    )


def _key(verdict: Verdict) -> tuple[str, ...]:
    return verdict.patch, verdict.signature, verdict.card or "", verdict.triton or ""


def _minor(version: str | None) -> tuple[str, ...]:
    return tuple((version or "").split(".")[:2])


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]+", release))

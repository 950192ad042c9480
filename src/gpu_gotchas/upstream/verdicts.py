"""What was found out beforehand about the very code that is installed: with a patch and without.

Some verdicts come with this package (`verdicts.json`, made by running, see `table`), others were found out on
this machine by `gotchas fixes prepare`. Reading them takes the standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
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
    could not be asked. card: the target that was stood in for. versions: of the packages that were there.
    """

    patch: str
    signature: str
    before: Answer
    after: Answer
    card: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)

    def holds_for(self, patch: Patch, signature: str, versions: Mapping[str, str]) -> bool:
        """Whether this is about that code. Where a compiler's word counts, its release must be the same."""
        if (self.patch, self.signature) != (patch.id, signature):
            return False
        return not patch.compiled or _minor(self.versions.get("triton")) == _minor(versions.get("triton"))


@dataclass(frozen=True, slots=True)
class Verdicts:
    known: tuple[Verdict, ...] = ()

    def about(self, patch: Patch, signature: str, versions: Mapping[str, str]) -> Verdict | None:
        """The newest verdict about that code, or None."""
        return next((one for one in reversed(self.known) if one.holds_for(patch, signature, versions)), None)

    def with_these(self, found: Iterable[Verdict]) -> Verdicts:
        """These and those, one for each patch, code, card and set of versions; the later one wins."""
        kept = {_key(one): one for one in (*self.known, *found)}
        return Verdicts(tuple(kept[key] for key in sorted(kept, key=repr)))

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [{**asdict(one), "before": one.before.value, "after": one.after.value} for one in self.known]
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


def _verdict(row: Mapping[str, Any]) -> Verdict:
    return Verdict(
        patch=str(row["patch"]),
        signature=str(row["signature"]),
        before=Answer(row["before"]),
        after=Answer(row["after"]),
        card=row.get("card"),
        versions={str(name): str(version) for name, version in row.get("versions", {}).items()},
    )


def _key(verdict: Verdict) -> tuple[object, ...]:
    return verdict.patch, verdict.signature, verdict.card, *sorted(verdict.versions.items())


def _minor(version: str | None) -> tuple[str, ...]:
    return tuple((version or "").split(".")[:2])

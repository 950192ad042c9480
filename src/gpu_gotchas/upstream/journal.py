"""What became of the patches in this process: a line on stderr, and a file for `gotchas fixes status`."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpu_gotchas.cache import cache_folder
from gpu_gotchas.upstream.outcome import WORDS, Applied, Declined, NotNeeded, Outcome, Waiting, to_json

VERSION = 1


def status_folder() -> Path:
    """Where each process with patches keeps its file."""
    return cache_folder() / "fixes" / "processes"


@dataclass(slots=True)
class Journal:
    """versions: of the packages that are patched, by name. outcomes: by the id of the patch."""

    versions: Mapping[str, str]
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    _said: bool = False

    def note(self, patch: str, outcome: Outcome) -> None:
        """Keep an outcome. Once the summary is out, what then happens is said as it happens."""
        self.outcomes[patch] = outcome
        if self._said:
            said = to_json(outcome)
            _say(f"{patch} {said['outcome']}: {said['why']}{_also(outcome)}")
            self.write()

    def summary(self) -> None:
        """Say, in one line and once, how things stand, and write them down."""
        if self._said:
            return
        self._said = True
        _say(summary_line(self.outcomes))
        self.write()

    def write(self) -> None:
        """Write the file of this process, whole or not at all. A disk that refuses is no reason to stop."""
        with contextlib.suppress(OSError):
            folder = status_folder()
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{os.getpid()}.json"
            scratch = path.with_suffix(".part")
            scratch.write_text(json.dumps(self.as_json()), encoding="utf-8")
            scratch.replace(path)

    def as_json(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "pid": os.getpid(),
            "parent": os.getppid(),
            "started": process_start(os.getpid()),
            "written": round(time.time(), 3),
            "command": sys.argv[:8],
            "versions": dict(self.versions),
            "fixes": {name: to_json(outcome) for name, outcome in sorted(self.outcomes.items())},
        }


def summary_line(outcomes: Mapping[str, Outcome]) -> str:
    """`2 applied and verified (a, b), 9 not needed, 1 declined (c: because)`."""
    parts = []
    for kind in (Applied, Waiting, NotNeeded, Declined):
        named = [name for name, outcome in sorted(outcomes.items()) if isinstance(outcome, kind)]
        if named:
            parts.append(f"{len(named)} {WORDS[kind]}{_detail(kind, named, outcomes)}")
    return ", ".join(parts) or "no fix was asked for"


def process_start(pid: int, proc: Path = Path("/proc")) -> str | None:
    """When a process started, as the kernel counts: with its number, that tells it from all others."""
    try:
        return (proc / str(pid) / "stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def _detail(kind: type, named: list[str], outcomes: Mapping[str, Outcome]) -> str:
    if kind is NotNeeded:
        return ""
    if kind is Waiting:
        return f" for their modules ({', '.join(named)})"
    if kind is Declined:
        return " (" + "; ".join(f"{name}: {to_json(outcomes[name])['why']}" for name in named) + ")"
    return f" ({', '.join(named)})"


def _also(outcome: Outcome) -> str:
    return f" ({outcome.detail})" if isinstance(outcome, Declined) and outcome.detail else ""


def _say(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        print(f"gpu-gotchas fixes: {line}", file=sys.stderr, flush=True)

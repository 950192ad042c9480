"""Finds out beforehand, in children, what patches do to a release's code, and remembers it.

A serving process never flips a platform, swaps a driver or compiles. This does, in processes that are thrown
away, and writes verdicts that a serving process looks up by the signature of its code.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu_gotchas.cache import cache_folder
from gpu_gotchas.repro.environment import child_environment
from gpu_gotchas.upstream.patch import Answer, Patch
from gpu_gotchas.upstream.verdicts import Verdict

_PATIENCE = 600
_LIST_END = 30


class ChildFailed(RuntimeError):
    """A child gave no answer. The message holds the end of what it printed."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found out about one patch. verdict is None where the release has no such code.

    fault: what went wrong in asking, as a traceback; empty if nothing did.
    """

    patch: str
    verdict: Verdict | None
    fault: str = ""


def prepare(patches: Iterable[Patch], package: Path | None, triton: Path | None = None) -> list[Finding]:
    """Ask each of `patches` in a child.

    package: folder of an unpacked release; None for what is installed. triton: folder of another Triton than
    the installed one. Raises ChildFailed.
    """
    ids = [patch.id for patch in patches]
    if not ids:
        return []
    return [_finding(row) for row in ask_child("gpu_gotchas.upstream.measure", ids, package, triton)]


def ask_child(module: str, ids: Sequence[str], package: Path | None, triton: Path | None = None) -> Any:
    """What `python -m module --package … ID…` answers, as JSON data, in an environment of its own.

    Raises ChildFailed where it answers nothing.
    """
    command = [sys.executable, "-m", module, *ids]
    if package is not None:
        command.append(f"--package={package}")
    with tempfile.TemporaryDirectory() as cache:
        environment = child_environment(Path(cache), cards=False, first=str(triton) if triton else None)
        ours = str(Path(__file__).resolve().parents[2])
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (environment.get("PYTHONPATH"), ours)))
        # What children look up lies where this process looks it up.
        environment["GPU_GOTCHAS_CACHE"] = str(cache_folder())
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False, timeout=_PATIENCE
            )
        except subprocess.TimeoutExpired:
            raise ChildFailed(f"no answer about {', '.join(ids)} within {_PATIENCE} s") from None
    if done.returncode or not done.stdout.strip():
        end = "\n".join(done.stderr.strip().splitlines()[-_LIST_END:])
        raise ChildFailed(f"no answer about {', '.join(ids)} (exit code {done.returncode}):\n{end}")
    return json.loads(done.stdout)


def _finding(row: Mapping[str, Any]) -> Finding:
    if row["signature"] is None:
        return Finding(row["patch"], None)
    verdict = Verdict(
        patch=row["patch"],
        signature=row["signature"],
        before=Answer(row["before"]),
        after=Answer(row["after"]),
        card=row["card"],
        triton=row["triton"],
        releases=(row["release"],),
    )
    return Finding(row["patch"], verdict, row["fault"])

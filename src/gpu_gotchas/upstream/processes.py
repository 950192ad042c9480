"""The processes of this machine that serve, with what each did about fixes, and those where none were loaded.

Linux only for the second: it reads `/proc`. Nobody is asked, signalled or traced.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from gpu_gotchas.upstream.journal import process_start, status_folder
from gpu_gotchas.upstream.switch import FIXES, parse

_PROC = Path("/proc")
_PLUGIN = "gpu_gotchas"
"""The name of our entry point."""
# A server, the engine below it, a worker: by what they are started as, or by what they call themselves.
_SERVES = re.compile(r"(^|[/\s])vllm(\s|$)|-m\s+vllm\.|vllm[./]entrypoints|VLLM::|EngineCore")


class Unloaded(Enum):
    """Why a process of vLLM has no fixes loaded."""

    OFF = f"{FIXES} is not set in it, or off"
    LEFT_OUT = f"VLLM_PLUGINS is set in it and does not name {_PLUGIN}"
    NOT_INSTALLED = "gpu-gotchas is not installed for its Python"
    NOT_YET = (
        "it has not come to load its plugins yet, or could not import ours: "
        f"look for 'Failed to load plugin {_PLUGIN}' in its log"
    )
    UNREADABLE = "it belongs to another user"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A living process with fixes. fixes: by id, each with `outcome`, `why` and maybe `detail`."""

    pid: int
    parent: int
    command: str
    versions: Mapping[str, str] = field(default_factory=dict)
    fixes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NotLoaded:
    pid: int
    command: str
    why: Unloaded


def loaded(proc: Path = _PROC) -> list[Loaded]:
    """Processes that are alive and said what became of their fixes. Files of others are removed."""
    found = []
    for path in sorted(status_folder().glob("*.json")):
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
            if _alive(said, proc):
                found.append(_loaded(said))
                continue
        except (OSError, ValueError, KeyError, TypeError):
            continue
        with contextlib.suppress(OSError):
            path.unlink()
    return found


def not_loaded(known: list[Loaded], proc: Path = _PROC) -> list[NotLoaded]:
    """vLLM's processes that are not among the `known` ones, and why."""
    pids = {one.pid for one in known}
    found = []
    for folder in sorted(proc.glob("[0-9]*"), key=lambda path: int(path.name)):
        pid = int(folder.name)
        command = _words(folder / "cmdline")
        if pid in pids or pid == os.getpid() or not _SERVES.search(command):
            continue
        found.append(NotLoaded(pid, command, _why(folder)))
    return found


def _why(folder: Path) -> Unloaded:
    try:
        environ = dict(
            entry.partition("=")[::2]
            for entry in (folder / "environ").read_bytes().decode(errors="replace").split("\0")
            if "=" in entry
        )
    except OSError:
        return Unloaded.UNREADABLE
    if not parse(environ).on:
        return Unloaded.OFF
    allowed = environ.get("VLLM_PLUGINS")
    if allowed is not None and _PLUGIN not in allowed.split(","):
        return Unloaded.LEFT_OUT
    if not any(_site_packages(folder, environ)):
        return Unloaded.NOT_INSTALLED
    return Unloaded.NOT_YET


def _site_packages(folder: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """Where gpu-gotchas is installed for the Python of a process."""
    places = [Path(entry) for entry in environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    with contextlib.suppress(OSError):
        # The link that it was started through, where that can be told, leads to its virtual environment.
        first = (folder / "cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
        started = Path(first) if first.startswith("/") else (folder / "exe").resolve()
        prefixes = {started.parent.parent, started.resolve().parent.parent}
        if environ.get("VIRTUAL_ENV"):
            prefixes.add(Path(environ["VIRTUAL_ENV"]))
        for prefix in prefixes:
            places += prefix.glob("lib*/python3*/site-packages")
            places += prefix.glob("lib*/python3*/dist-packages")
    for place in places:
        with contextlib.suppress(OSError):
            yield from place.glob("gpu_gotchas-*.dist-info")


def _alive(said: Mapping[str, Any], proc: Path) -> bool:
    started = process_start(int(said["pid"]), proc)
    if started is None and not proc.is_dir():
        return True
    return started is not None and started == said["started"]


def _loaded(said: Mapping[str, Any]) -> Loaded:
    return Loaded(
        pid=int(said["pid"]),
        parent=int(said["parent"]),
        command=" ".join(map(str, said["command"])),
        versions=said["versions"],
        fixes=said["fixes"],
    )


def _words(path: Path) -> str:
    try:
        return path.read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""

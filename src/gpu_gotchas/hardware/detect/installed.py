"""Versions of installed distributions from the names of their metadata folders.

`importlib.metadata` answers the same and loads a mail parser for it, which takes longer than all the rest.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from gpu_gotchas.hardware.machine import Unknown
from gpu_gotchas.hardware.versions import canonical

_FOLDER = re.compile(r"(?P<name>.+?)-(?P<version>[^-]+)(?:-py[0-9.]+)?\.(?:dist|egg)-info")
_FILES = ("METADATA", "PKG-INFO")


def versions(wanted: Iterable[str], folders: Iterable[str] | None = None) -> Mapping[str, str | Unknown]:
    """Version of each wanted distribution that is installed, by canonical name; the first folder wins.

    folders: where packages lie; by default where this Python looks for them.
    A version that its own metadata contradicts or does not say is Unknown.
    """
    names = frozenset(wanted)
    found: dict[str, str | Unknown] = {}
    for folder in sys.path if folders is None else folders:
        try:
            entries = sorted(entry.name for entry in os.scandir(folder or "."))
        except OSError:
            continue
        for entry in entries:
            match = _FOLDER.fullmatch(entry)
            name = canonical(match["name"]) if match else ""
            if name in names and name not in found:
                found[name] = _written(Path(folder or ".") / entry) or Unknown(
                    name, f"{entry} does not say its version"
                )
    return found


def _written(path: Path) -> str | None:
    """The `Version:` line of the metadata; an old egg-info may be the file itself."""
    for place in (*(path / name for name in _FILES), path):
        try:
            with place.open(encoding="utf-8", errors="replace") as file:
                lines = file.read(16384).splitlines()
        except OSError:
            continue
        for line in lines:
            if not line.strip():
                return None  # the description begins
            key, _, value = line.partition(":")
            if key.lower() == "version" and value.strip():
                return value.strip()[:200]
        return None
    return None

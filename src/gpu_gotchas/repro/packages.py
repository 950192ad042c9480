"""Upstream packages at a named release: where their files lie on this machine."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from gpu_gotchas.cache import cache_folder
from gpu_gotchas.hardware.versions import canonical, release_of

KEPT = (".py", ".json", "METADATA", "RECORD")
"""What is unpacked of a wheel: source, the data that it reads, and what lies in the wheel at all."""

WHOLE = frozenset({"triton"})
"""Packages that are of no use without their compiled parts; they are unpacked with all their files."""

_SPEC = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[0-9][A-Za-z0-9.+!-]*)")


class PackageError(RuntimeError):
    """A package that is not here or cannot be had. The message says what to do."""


class Listed(NamedTuple):
    """A file that a wheel holds. digest: its SHA-256 as RECORD spells it; size: in bytes."""

    name: str
    digest: str
    size: int


def parse_release(spec: str) -> tuple[str, str]:
    """(name, version) of `name==version`. Raises PackageError when it is none."""
    match = _SPEC.fullmatch(spec)
    if not match:
        raise PackageError(f"{spec!r} names no release: write it as vllm==0.33.0")
    return match["name"].lower(), match["version"]


def folder_of(name: str, version: str) -> Path:
    """Where that release is unpacked to, whether or not it is there."""
    return cache_folder() / "packages" / f"{name}-{version}"


def find_package(spec: str) -> Path:
    """The folder to import `name==version` from: where it is installed, else where it was unpacked.

    An install that is editable, from a repository, or in which a file was changed is not that release.
    Raises PackageError when it is in neither place, with the command that fetches it.
    """
    name, version = parse_release(spec)
    installed = _installed(name, version)
    if installed:
        return installed
    folder = folder_of(name, version)
    if not folder.is_dir():
        raise PackageError(f"{spec} is not here: `gotchas fetch {spec}` unpacks its source files")
    if not is_whole(folder, name):
        raise PackageError(f"{folder} lacks files of {spec}: `gotchas fetch {spec}` unpacks it anew")
    return folder


def is_whole(folder: Path, name: str) -> bool:
    """Whether an unpacked release has every file that it should have, by the wheel's own list."""
    wanted = [entry for entry in listed_files(folder, name) if _is_kept(entry, name)]
    return bool(wanted) and all(_size(folder / entry.name) == entry.size for entry in wanted)


def listed_files(folder: Path, name: str) -> Iterator[Listed]:
    """The files that the wheel of `name` held, those with a size; none when its list is not there."""
    for record in folder.glob("*.dist-info/RECORD"):
        # `<name>-<version>.dist-info`, the name in any spelling.
        if canonical(record.parent.name.split("-")[0]) != canonical(name):
            continue
        for row in csv.reader(record.read_text(encoding="utf-8").splitlines()):
            if len(row) == 3 and row[2].isdigit():
                yield Listed(row[0], row[1].partition("=")[2], int(row[2]))


def _is_kept(entry: Listed, name: str) -> bool:
    place = PurePosixPath(entry.name)  # one that leads out of the folder is not unpacked
    inside = not place.is_absolute() and ".." not in place.parts
    return inside and (name in WHOLE or entry.name.endswith(KEPT))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _installed(name: str, version: str) -> Path | None:
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None
    folder = Path(str(found.locate_file("")))
    if release_of(found.version) != version or _from_a_checkout(found):
        return None
    sources = [entry for entry in listed_files(folder, name) if entry.name.endswith(".py")]
    return folder if sources and all(_is_unchanged(folder, entry) for entry in sources) else None


def _from_a_checkout(found: metadata.Distribution) -> bool:
    """Whether it was installed from a folder or a repository, which may hold anything."""
    try:
        origin = json.loads(found.read_text("direct_url.json") or "{}")
    except ValueError:
        return True
    return bool({"dir_info", "vcs_info"} & origin.keys())


def _is_unchanged(folder: Path, entry: Listed) -> bool:
    try:
        digest = hashlib.sha256((folder / entry.name).read_bytes()).digest()
    except OSError:
        return False
    return base64.urlsafe_b64encode(digest).decode().rstrip("=") == entry.digest.rstrip("=")

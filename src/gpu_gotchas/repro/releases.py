"""The releases that a package has published, oldest first, as its index lists them through pip."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from packaging.version import InvalidVersion, Version

from gpu_gotchas.cache import cache_folder
from gpu_gotchas.repro.fetching import pip
from gpu_gotchas.repro.packages import PackageError

_KEPT_FOR = 24 * 3600.0
_LISTED = re.compile(r"^\s*Available versions:(.*)$", re.MULTILINE)


def published(package: str) -> tuple[str, ...]:
    """Every final release of `package`, in the order of versions. The list is kept for a day.

    Raises PackageError with pip's own words where it cannot be had.
    """
    path = cache_folder() / "releases" / f"{package}.json"
    kept = _kept(path)
    if kept is None:
        told = _LISTED.search(pip(["index", "versions", package]))
        kept = [name.strip() for name in told[1].split(",")] if told else []
        if not in_order(kept):
            raise PackageError(f"pip lists no releases of {package}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(kept))
    return in_order(kept)


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Final releases among `names`, oldest first; what is no version is left out."""
    versions = {}
    for name in names:
        try:
            version = Version(name)
        except InvalidVersion:
            continue
        if not version.is_prerelease and version.local is None:
            versions[version] = name
    return tuple(versions[version] for version in sorted(versions))


def between(releases: Sequence[str], first: str | None, last: str | None) -> tuple[str, ...]:
    """The releases from `first` to `last`, both included; None leaves an end open."""
    low = Version(first) if first else None
    high = Version(last) if last else None
    return tuple(
        name
        for name in releases
        if (low is None or Version(name) >= low) and (high is None or Version(name) <= high)
    )


def newest_patches(releases: Sequence[str]) -> tuple[str, ...]:
    """The last release of each minor version."""
    newest = {(Version(name).epoch, *Version(name).release[:2]): name for name in in_order(releases)}
    return tuple(newest.values())


def _kept(path: Path) -> list[str] | None:
    try:
        if time.time() - path.stat().st_mtime > _KEPT_FOR:
            return None
        names = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    good = isinstance(names, list) and names and all(isinstance(name, str) for name in names)
    return names if good else None

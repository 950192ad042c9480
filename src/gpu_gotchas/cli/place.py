"""Where this command comes from, and where it is called: an install, or a working copy of the project."""

from __future__ import annotations

import tomllib
from pathlib import Path


def clone_around(folder: Path) -> Path | None:
    """The working copy of this project that `folder` lies in, or None."""
    for place in (folder, *folder.parents):
        if (place / "gotchas").is_dir() and _project(place / "pyproject.toml") == "gpu-gotchas":
            return place
    return None


def not_from_here(what: str) -> str:
    """Why an installed command can't do `what`, and which one can."""
    if clone_around(Path.cwd()) is None:
        return f"{what} a working copy of the project, and this is an installed gotchas: clone it first."
    return (
        f"{what} a working copy of the project. You stand in one, but this is an installed gotchas: use the "
        "development environment's, .venv/bin/gotchas, which the command under *Develop* in README.md makes."
    )


def base_told(records: Path) -> str:
    """Which base a folder of records is, for people."""
    from gpu_gotchas.records.root import is_checkout

    if is_checkout():
        return f"the working copy, {records}"
    clone = clone_around(Path.cwd())
    beside = f", and not those of {clone}" if clone else ""
    return f"the installed gotchas, {records}{beside}"


def _project(path: Path) -> str | None:
    """The name in a pyproject.toml."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    name = said.get("project", {}).get("name")
    return name if isinstance(name, str) else None

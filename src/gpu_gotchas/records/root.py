"""Where records and schemas lie. This module alone knows a checkout from an install."""

from __future__ import annotations

import os
from pathlib import Path

# Names another folder of records, for people who keep their own, and for tests.
OVERRIDE = "GPU_GOTCHAS_ROOT"

_PACKAGE = Path(__file__).resolve().parent.parent


def _base() -> Path:
    checkout = _PACKAGE.parent.parent
    if (checkout / "schema").is_dir() and (checkout / "pyproject.toml").is_file():
        return checkout
    return _PACKAGE / "_data"


def _own() -> Path | None:
    named = os.environ.get(OVERRIDE)
    return Path(named).resolve() if named else None


def root() -> Path:
    """The folder that holds one folder for each gotcha: GPU_GOTCHAS_ROOT where that is set, else ours."""
    return _own() or _base() / "gotchas"


def schema_root() -> Path:
    """The folder that holds the JSON Schemas and settings.yaml."""
    return _base() / "schema"


def is_checkout() -> bool:
    """Whether records lie in a working copy, where they may be edited."""
    return _own() is not None or _base() != _PACKAGE / "_data"


def index_path() -> Path:
    """The search index: shipped with an install, made anew from newer records in a checkout."""
    return root().parent / "build" / "index.json" if is_checkout() else _base() / "index.json"


def package_root() -> Path:
    """The folder of this package's own source."""
    return _PACKAGE

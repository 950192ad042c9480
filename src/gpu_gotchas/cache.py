"""Where this package keeps what it has fetched or found out, outside of any project."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """GPU_GOTCHAS_CACHE, else the user's cache folder. It need not exist yet."""
    named = os.environ.get("GPU_GOTCHAS_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(base) / "gpu-gotchas"

"""Facts about the platform that failures depend on: the system, WSL2, a container."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

_MARKERS = (".dockerenv", "run/.containerenv")
_VARIABLES = ("container", "KUBERNETES_SERVICE_HOST")
_GROUPS = ("docker", "kubepods", "containerd", "libpod", "lxc")
# The first process of a system that is booted, not entered.
_INITS = ("systemd", "init", "launchd")


def facts(
    system: str = sys.platform, root: Path = Path("/"), environ: Mapping[str, str] = os.environ
) -> dict[str, bool]:
    """Names of `platforms` to whether they hold; what cannot be told is left out. Never raises."""
    linux = system.startswith("linux")
    found = {"linux": linux, "windows": system == "win32", "macos": system == "darwin"}
    if not linux:
        found["wsl2"] = False
        return found
    kernel = _read(root / "proc/version")
    if kernel is not None:
        found["wsl2"] = "microsoft-standard" in kernel.lower() or "wsl2" in kernel.lower()
    container = _container(root, environ)
    if container is not None:
        found["container"] = container
    return found


def _container(root: Path, environ: Mapping[str, str]) -> bool | None:
    """Whether this is a container. Only a real init as first process shows that it is none."""
    if any((root / marker).exists() for marker in _MARKERS) or any(environ.get(name) for name in _VARIABLES):
        return True
    groups = _read(root / "proc/1/cgroup") or ""
    if any(name in groups for name in _GROUPS):
        return True
    first = (_read(root / "proc/1/comm") or "").strip()
    return False if first in _INITS else None


def _read(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(65536)
    except OSError:
        return None

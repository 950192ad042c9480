"""The platform facts that a machine may have, and that a record may ask for."""

from __future__ import annotations

PLATFORMS = ("linux", "windows", "macos", "wsl2", "container")

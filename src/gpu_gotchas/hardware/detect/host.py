"""The host beside its GPUs: memory, the limit that a container puts on it, and /dev/shm."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from gpu_gotchas.hardware.machine import Host

# The kernel writes "no limit" as the largest multiple of a page that fits: anything near it is no limit.
_NO_LIMIT = 1 << 60
_LIMITS = ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes")


def find(root: Path = Path("/")) -> Host:
    """What the kernel says, in bytes; None for what it does not. Never raises."""
    return Host(_memory(root), _limit(root), _shared_memory(root))


def _memory(root: Path) -> int | None:
    for line in _read(root / "proc/meminfo").splitlines():
        name, _, rest = line.partition(":")
        size = rest.split()
        if name == "MemTotal" and size and size[0].isdigit():
            return int(size[0]) * 1024
    with contextlib.suppress(ValueError, OSError, AttributeError):  # macOS has no /proc, Windows no sysconf
        pages, size_of_page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
        return pages * size_of_page if pages > 0 and size_of_page > 0 and root == Path("/") else None
    return None


def _limit(root: Path) -> int | None:
    """The cgroup's limit (version 2, then 1), None where there is none."""
    for name in _LIMITS:
        text = _read(root / name).strip()
        if text.isascii() and text.isdigit():
            return int(text) if int(text) < _NO_LIMIT else None
    return None


def _shared_memory(root: Path) -> int | None:
    with contextlib.suppress(OSError, AttributeError):
        seen = os.statvfs(root / "dev/shm")
        return seen.f_frsize * seen.f_blocks
    return None


def _read(path: Path) -> str:
    try:
        with path.open(encoding="ascii", errors="replace") as file:
            return file.read(65536)
    except OSError:
        return ""

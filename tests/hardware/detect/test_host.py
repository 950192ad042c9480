"""Memory, limits and /dev/shm, from a tree that looks like the kernel's."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.hardware.detect.host import find


def lay(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_memory_and_shared_memory(tmp_path: Path) -> None:
    (tmp_path / "dev/shm").mkdir(parents=True)
    host = find(lay(tmp_path, {"proc/meminfo": "MemFree: 5 kB\nMemTotal:       65536000 kB\n"}))
    assert host.memory == 65536000 * 1024
    assert host.memory_limit is None
    assert host.shared_memory is not None
    assert host.shared_memory > 0


@pytest.mark.parametrize(
    ("name", "text", "limit"),
    [
        ("sys/fs/cgroup/memory.max", "34359738368\n", 34359738368),
        ("sys/fs/cgroup/memory.max", "max\n", None),
        ("sys/fs/cgroup/memory/memory.limit_in_bytes", "8589934592\n", 8589934592),
        ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n", None),
    ],
)
def test_limits(tmp_path: Path, name: str, text: str, limit: int | None) -> None:
    assert find(lay(tmp_path, {name: text})).memory_limit == limit


@pytest.mark.parametrize("text", ["", "MemTotal:", "MemTotal: many kB", "\x00\xff"])
def test_a_kernel_that_says_nothing(tmp_path: Path, text: str) -> None:
    host = find(lay(tmp_path, {"proc/meminfo": text}))
    assert (host.memory, host.memory_limit, host.shared_memory) == (None, None, None)

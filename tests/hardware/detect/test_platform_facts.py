"""Platform facts: what can be told from the kernel, the environment and the first process."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.hardware.detect.platform_facts import facts
from gpu_gotchas.hardware.platforms import PLATFORMS

UBUNTU = "Linux version 6.8.0-60-generic (buildd@lcy02-amd64-098) (x86_64-linux-gnu-gcc-13) #63-Ubuntu SMP\n"
WSL2 = "Linux version 5.15.167.4-microsoft-standard-WSL2 (root@f9c826d3017f) (gcc (GCC) 11.2.0) #1 SMP\n"


def tree(root: Path, version: str = UBUNTU, init: str = "systemd", cgroup: str = "0::/init.scope\n") -> Path:
    (root / "proc/1").mkdir(parents=True)
    (root / "proc/version").write_text(version)
    (root / "proc/1/comm").write_text(init + "\n")
    (root / "proc/1/cgroup").write_text(cgroup)
    return root


def test_plain_linux(tmp_path: Path) -> None:
    found = facts("linux", tree(tmp_path), {})
    assert found == {"linux": True, "windows": False, "macos": False, "wsl2": False, "container": False}
    assert set(found) == set(PLATFORMS)


def test_wsl2(tmp_path: Path) -> None:
    assert facts("linux", tree(tmp_path, WSL2), {})["wsl2"] is True


@pytest.mark.parametrize("marker", [".dockerenv", "run/.containerenv"])
def test_a_container_by_its_marker(tmp_path: Path, marker: str) -> None:
    root = tree(tmp_path, init="bash")
    (root / marker).parent.mkdir(exist_ok=True)
    (root / marker).touch()
    assert facts("linux", root, {})["container"] is True


def test_a_container_by_its_variable_or_group(tmp_path: Path) -> None:
    root = tree(tmp_path, init="python3", cgroup="11:memory:/kubepods/burstable/pod1\n")
    assert facts("linux", root, {})["container"] is True
    (root / "proc/1/cgroup").write_text("0::/\n")
    assert facts("linux", root, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"})["container"] is True


def test_what_cannot_be_told_is_left_out(tmp_path: Path) -> None:
    assert "container" not in facts("linux", tree(tmp_path, init="bash", cgroup="0::/\n"), {})
    assert "wsl2" not in facts("linux", tmp_path / "nowhere", {})


@pytest.mark.parametrize(("system", "name"), [("win32", "windows"), ("darwin", "macos")])
def test_other_systems(tmp_path: Path, system: str, name: str) -> None:
    found = facts(system, tmp_path, {})
    assert [fact for fact, holds in found.items() if holds] == [name]

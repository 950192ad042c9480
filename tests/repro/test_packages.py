"""Finding a release: installed as it was released, or unpacked whole; nothing else is that release."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest

from gpu_gotchas.cache import cache_folder
from gpu_gotchas.repro.packages import PackageError, find_package, parse_release
from tests.repro.wheels import record

pytestmark = pytest.mark.usefixtures("index")


def test_an_installed_release_is_used_where_it_is() -> None:
    version = metadata.version("packaging")
    assert (find_package(f"packaging=={version}") / "packaging" / "version.py").is_file()
    with pytest.raises(PackageError, match="is not here"):
        find_package("packaging==1.0")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages in which made-up 1.0 lies."""
    return install(tmp_path / "site", "1.0", monkeypatch)


def install(folder: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {"made_up/__init__.py": "X = 1\n"}
    (folder / "made_up").mkdir(parents=True)
    (folder / "made_up" / "__init__.py").write_text(files["made_up/__init__.py"])
    info = folder / f"made_up-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: made-up\nVersion: {version}\n")
    (info / "RECORD").write_text(record(files))
    monkeypatch.syspath_prepend(folder)
    return folder


def test_an_unchanged_install_is_the_release(site: Path) -> None:
    assert find_package("made-up==1.0") == site


def test_a_locally_patched_install_is_not_the_release(site: Path) -> None:
    (site / "made_up" / "__init__.py").write_text("X = 2\n")
    with pytest.raises(PackageError, match="is not here"):
        find_package("made-up==1.0")


@pytest.mark.parametrize("origin", [{"dir_info": {"editable": True}}, {"dir_info": {}}, {"vcs_info": {}}])
def test_an_install_from_a_checkout_is_not_the_release(site: Path, origin: dict[str, object]) -> None:
    (site / "made_up-1.0.dist-info" / "direct_url.json").write_text(json.dumps({"url": "file:///x"} | origin))
    with pytest.raises(PackageError, match="is not here"):
        find_package("made-up==1.0")


@pytest.mark.parametrize(("version", "is_it"), [("1.0+cu126", True), ("1.0+fork", False), ("1.0rc1", False)])
def test_a_build_for_a_card_is_the_release_and_a_fork_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, is_it: bool
) -> None:
    site = install(tmp_path / "site", version, monkeypatch)
    if is_it:
        assert find_package("made-up==1.0") == site
    else:
        with pytest.raises(PackageError, match="is not here"):
            find_package("made-up==1.0")


@pytest.mark.parametrize(
    "spec",
    ["vllm", "vllm>=1", "vllm==", "==1.0", "-r==1", "vllm==1 --index-url=x", "vllm==../1", "a/b==1", ""],
)
def test_what_names_no_release_is_refused(spec: str) -> None:
    with pytest.raises(PackageError, match=r"write it as vllm==0\.33\.0"):
        parse_release(spec)


def test_the_cache_lies_where_users_keep_theirs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GPU_GOTCHAS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "gpu-gotchas"

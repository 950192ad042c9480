from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from gpu_gotchas.repro import packages
from gpu_gotchas.cache import cache_folder
from gpu_gotchas.repro.packages import PackageError, fetch_package, find_package, parse_release

METADATA = "Metadata-Version: 2.1\nName: made-up\nVersion: 1.0\n"


def wheel(folder: Path, files: dict[str, str], name: str = "made_up-1.0-py3-none-any.whl") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("made_up-1.0.dist-info/METADATA", METADATA)
        archive.writestr("made_up-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("made_up-1.0.dist-info/RECORD", "")
        for file, text in files.items():
            archive.writestr(file, text)
    return path


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all of pip's world, and a cache of our own."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("GPU_GOTCHAS_CACHE", str(tmp_path / "cache"))
    return folder


def test_a_release_is_fetched_unpacked_and_found_again(index: Path, tmp_path: Path) -> None:
    wheel(index, {"made_up/__init__.py": "X = 1\n", "made_up/_C.so": "binary", "made_up/data.json": "{}"})
    with pytest.raises(PackageError, match=r"`gotchas fetch made-up==1\.0` unpacks its source files"):
        find_package("made-up==1.0")
    folder = fetch_package("made-up==1.0")
    assert folder.is_relative_to(tmp_path / "cache")
    assert find_package("made-up==1.0") == folder
    assert (folder / "made_up" / "__init__.py").read_text() == "X = 1\n"
    kept = {path.name for path in folder.rglob("*") if path.is_file()}
    assert kept == {"__init__.py", "METADATA"}


def test_what_is_here_is_not_fetched_again(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "_download", lambda _, into: wheel(into, {"made_up.py": ""}))
    folder = fetch_package("made-up==1.0")
    monkeypatch.setattr(packages, "_download", lambda *_: pytest.fail("it was fetched again"))
    assert fetch_package("made-up==1.0") == folder


def test_what_cannot_be_had_is_told_in_pips_words(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"made-up==9\.9 cannot be had: .*made-up"):
        fetch_package("made-up==9.9")
    assert list((tmp_path / "cache" / "packages").iterdir()) == []


def test_an_installed_release_is_used_where_it_is() -> None:
    from importlib import metadata

    version = metadata.version("packaging")
    assert (find_package(f"packaging=={version}") / "packaging" / "version.py").is_file()
    with pytest.raises(PackageError, match="is not here"):
        find_package("packaging==1.0")


def from_wheel(monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> Path:
    monkeypatch.setattr(packages, "_download", lambda _, into: wheel(into, files))
    return fetch_package("made-up==1.0")


@pytest.mark.parametrize("name", ["../evil.py", "../../../evil.py", "/tmp/evil.py", "a/../../evil.py"])
def test_names_that_lead_out_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = from_wheel(monkeypatch, {name: "evil", "made_up.py": "good"})
    assert (folder / "made_up.py").read_text() == "good"
    assert not list(tmp_path.rglob("evil.py"))
    assert not Path("/tmp/evil.py").exists()


def test_too_much_source_is_refused_before_any_of_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "_LARGEST_UNPACKED", 2**20)
    with pytest.raises(PackageError, match="holds more than 1 MiB of source"):
        from_wheel(monkeypatch, {f"made_up/{i}.py": " " * 2**18 for i in range(5)})
    assert not list(tmp_path.rglob("*.py"))


def test_what_is_no_wheel_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: str, into: Path) -> Path:
        path = into / "made_up-1.0-py3-none-any.whl"
        path.write_bytes(b"this is no archive")
        return path

    monkeypatch.setattr(packages, "_download", broken)
    with pytest.raises(PackageError, match="cannot be unpacked"):
        fetch_package("made-up==1.0")
    assert list((tmp_path / "cache" / "packages").iterdir()) == []


def test_a_damaged_wheel_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(_: str, into: Path) -> Path:
        path = wheel(into, {"made_up.py": "abc" * 1000})
        raw = bytearray(path.read_bytes())
        at = raw.index(b"made_up.py") + 30
        raw[at : at + 8] = b"\0" * 8
        path.write_bytes(raw)
        return path

    monkeypatch.setattr(packages, "_download", damaged)
    with pytest.raises(PackageError, match="cannot be unpacked"):
        fetch_package("made-up==1.0")


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

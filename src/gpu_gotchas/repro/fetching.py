"""Getting a release: its wheel, downloaded with pip, of which the Python files are kept."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from gpu_gotchas.repro.packages import (
    KEPT,
    WHOLE,
    PackageError,
    folder_of,
    is_whole,
    parse_release,
)

_LARGEST_UNPACKED = 200 * 2**20
_LARGEST_CACHE = 12 * 2**30
_ABANDONED = 24 * 3600.0
_QUIET = ("--disable-pip-version-check", "--no-input")
_YANKED = re.compile(r"is a yanked version:.*?(?:Reason for being yanked:(.*)|$)", re.DOTALL)
# Wheels are asked for as a Linux box would, wherever this runs: only their Python files are read.
_PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in range(40, 16, -1)),
    "manylinux2014_x86_64",
    "manylinux1_x86_64",
)


def fetch_package(spec: str) -> Path:
    """Download the wheel of `name==version` with pip and keep its Python files; returns their folder.

    What is there whole is not fetched again, so that a list that was interrupted goes on where it stopped.
    Nothing of it is installed or run. Raises PackageError with pip's own words when it cannot be had.
    """
    name, version = parse_release(spec)
    folder = folder_of(name, version)
    if is_whole(folder, name):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    _make_room(folder.parent)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        unpacked = Path(scratch) / "unpacked"
        if name in WHOLE:
            pip(["install", "--no-deps", "--no-compile", "--only-binary=:all:", f"--target={unpacked}", spec])
        else:
            _unpack(_download(spec, Path(scratch)), unpacked)
        if not is_whole(unpacked, name):
            raise PackageError(f"the wheel of {spec} has no list of its files, or not the files on it")
        _put(unpacked, folder, name, Path(scratch))
    return folder


def pip(arguments: Sequence[str]) -> str:
    """Run pip and return what it printed. Raises PackageError with its last words."""
    command, *rest = arguments
    done = subprocess.run(
        [sys.executable, "-m", "pip", command, *_QUIET, *rest], capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["pip said nothing"]
        raise PackageError(f"{rest[-1]} cannot be had: {last[0]}")
    if yanked := _YANKED.search(done.stderr):
        why = (yanked[1] or "").strip() or "no reason is given"
        raise PackageError(f"{rest[-1]} was withdrawn by its authors: {why}")
    return done.stdout


def _download(spec: str, into: Path) -> Path:
    pip(["download", "--no-deps", "--only-binary=:all:", "--python-version=3.12", "--implementation=cp",
         "--abi=abi3", "--abi=cp312", "--abi=none",
         *(f"--platform={platform}" for platform in _PLATFORMS), f"--dest={into}", spec])  # fmt: skip
    wheels = list(into.glob("*.whl"))
    if not wheels:
        raise PackageError(f"{spec} cannot be had: pip downloaded no wheel")
    return wheels[0]


def _unpack(wheel: Path, folder: Path) -> None:
    """Keep a wheel's Python files, data and metadata. Names that lead out of `folder` are passed over."""
    inside = folder.resolve()
    folder.mkdir()
    try:
        with zipfile.ZipFile(wheel) as archive:
            wanted = [entry for entry in archive.infolist() if entry.filename.endswith(KEPT)]
            # Sizes are the archive's own word, but no more than that is read of an entry.
            if sum(entry.file_size for entry in wanted) > _LARGEST_UNPACKED:
                raise PackageError(f"{wheel.name} holds more than {_LARGEST_UNPACKED >> 20} MiB of source")
            for entry in wanted:
                if (folder / entry.filename).resolve().is_relative_to(inside):
                    archive.extract(entry, folder)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise PackageError(f"{wheel.name} cannot be unpacked: {error}") from error
    finally:
        wheel.unlink(missing_ok=True)


def _put(unpacked: Path, folder: Path, name: str, scratch: Path) -> None:
    """The folder appears whole or not at all, also when two processes fetch the same package."""
    if folder.is_dir() and not is_whole(folder, name):
        with suppress(OSError):  # somebody else was quicker
            folder.rename(scratch / "half")
    try:
        unpacked.rename(folder)
    except OSError:
        if not is_whole(folder, name):
            raise


def _make_room(packages: Path) -> None:
    """Remove what killed runs left behind, and while there is too much, the releases fetched longest ago."""
    now = time.time()
    for entry in packages.glob("tmp*"):
        if now - entry.stat().st_mtime > _ABANDONED:
            shutil.rmtree(entry, ignore_errors=True)
    by_age = sorted(packages.iterdir(), key=lambda entry: entry.stat().st_mtime, reverse=True)
    kept = 0
    for entry in by_age:
        kept += sum(path.stat().st_size for path in entry.rglob("*") if path.is_file())
        if kept > _LARGEST_CACHE and not entry.name.startswith("tmp"):
            shutil.rmtree(entry, ignore_errors=True)

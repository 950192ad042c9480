"""Upstream packages at a named release: the source files of a published wheel, without its dependencies."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
import zlib
from importlib import metadata
from pathlib import Path

from gpu_gotchas.cache import cache_folder

_SPEC = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[0-9][A-Za-z0-9.+!-]*)")
_LARGEST_UNPACKED = 200 * 2**20
# Wheels are asked for as a Linux box would, wherever this runs: only their Python files are read.
_PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in range(40, 16, -1)),
    "manylinux2014_x86_64",
    "manylinux1_x86_64",
)


class PackageError(RuntimeError):
    """A package that is not here or cannot be had. The message says what to do."""


def find_package(spec: str) -> Path:
    """The folder to import `name==version` from: where it is installed, else where it was unpacked.

    Raises PackageError when it is neither, with the command that fetches it.
    """
    name, version = parse_release(spec)
    try:
        installed = metadata.distribution(name)
        if installed.version.partition("+")[0] == version:
            return Path(str(installed.locate_file("")))
    except metadata.PackageNotFoundError:
        pass
    folder = _folder(name, version)
    if folder.is_dir():
        return folder
    raise PackageError(f"{spec} is not here: `gotchas fetch {spec}` unpacks its source files")


def fetch_package(spec: str) -> Path:
    """Download the wheel of `name==version` with pip and keep its Python files; returns their folder.

    Nothing of it is installed or run. Raises PackageError with pip's own words when it cannot be had.
    """
    name, version = parse_release(spec)
    folder = _folder(name, version)
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        wheel = _download(spec, Path(scratch))
        unpacked = Path(scratch) / "unpacked"
        _unpack(wheel, unpacked)
        # The folder appears whole or not at all, also when two processes fetch the same package.
        try:
            unpacked.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    return folder


def parse_release(spec: str) -> tuple[str, str]:
    """(name, version) of `name==version`. Raises PackageError when it is none."""
    match = _SPEC.fullmatch(spec)
    if not match:
        raise PackageError(f"{spec!r} names no release: write it as vllm==0.33.0")
    return match["name"].lower(), match["version"]


def _folder(name: str, version: str) -> Path:
    return cache_folder() / "packages" / f"{name}-{version}"


def _download(spec: str, into: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet",
               "--disable-pip-version-check", "--python-version=3.12", "--implementation=cp",
               "--abi=abi3", "--abi=cp312", "--abi=none",
               *(f"--platform={platform}" for platform in _PLATFORMS), "--dest", str(into), spec]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(into.glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["pip said nothing"]
        raise PackageError(f"{spec} cannot be had: {last[0]}")
    return wheels[0]


def _unpack(wheel: Path, folder: Path) -> None:
    """Keep a wheel's Python files and metadata. Names that lead out of `folder` are passed over."""
    inside = folder.resolve()
    folder.mkdir()
    try:
        with zipfile.ZipFile(wheel) as archive:
            wanted = [entry for entry in archive.infolist() if entry.filename.endswith((".py", "METADATA"))]
            # Sizes are the archive's own word, but no more than that is read of an entry.
            if sum(entry.file_size for entry in wanted) > _LARGEST_UNPACKED:
                raise PackageError(f"{wheel.name} holds more than {_LARGEST_UNPACKED >> 20} MiB of source")
            for entry in wanted:
                if (folder / entry.filename).resolve().is_relative_to(inside):
                    archive.extract(entry, folder)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise PackageError(f"{wheel.name} cannot be unpacked: {error}") from error

"""Which Python's packages to look at: the doctor often runs in one of its own, beside the one that serves."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gpu_gotchas.hardware.detect.installed import versions
from gpu_gotchas.hardware.machine import Machine, Unknown
from gpu_gotchas.hardware.package_names import PACKAGES

STACK = ("torch", "vllm", "sglang")
_FOLDERS = ("lib/python3*/site-packages", "lib/python3*/dist-packages", "lib64/python3*/site-packages")
_COMMANDS = ("vllm", "sglang", "python3", "python")
_NAMED = ("VIRTUAL_ENV", "CONDA_PREFIX")
_VERSION = re.compile(r"python(3\.[0-9]+)$")


class NoPython(LookupError):
    """A path that holds no Python's packages: says what would be right."""


@dataclass(frozen=True, slots=True)
class Environment:
    """One Python's packages. folders: where they lie, as on its path. prefix: None for our own Python."""

    folders: tuple[str, ...]
    prefix: Path | None = None

    @property
    def holds_stack(self) -> bool:
        return bool(versions(STACK, self.folders))

    @property
    def python(self) -> str | None:
        """The interpreter, to ask it with `--deep`."""
        if self.prefix is None:
            return sys.executable
        found = (
            self.prefix / name for name in ("bin/python3", "bin/python", "Scripts/python.exe", "python.exe")
        )
        return next((str(path) for path in found if path.is_file()), None)


def named(path: Path) -> Environment:
    """The environment of a folder or of a python in it. Raises NoPython."""
    folder = path.parent.parent if path.is_file() else path
    found = _of_prefix(folder)
    if found is None:
        raise NoPython(
            f"{path}: no packages of a Python lie there: name a virtual environment, or the python in it"
        )
    return found


def chosen(environ: Mapping[str, str] = os.environ) -> Environment:
    """Our own Python where it holds the stack; else the active one, or that of `vllm` or `python` on PATH."""
    own = Environment(tuple(sys.path))
    if own.holds_stack:
        return own
    for prefix in _prefixes(environ):
        found = _of_prefix(prefix)
        if found is not None and found.holds_stack:
            return found
    return own


def told_honestly(machine: Machine, environment: Environment) -> Machine:
    """The machine, with packages unknown instead of missing where the environment holds none of the stack.

    A Python without torch, vLLM or SGLang is most likely not the one that will serve.
    """
    software = machine.software
    if any(software.get(name) for name in STACK):
        version = next((match[1] for folder in environment.folders if (match := _version_in(folder))), None)
        if environment.prefix is not None and version:
            return replace(machine, software={**software, "python": version})
        return machine
    known = {
        name: version for name, version in software.items() if version is not None or name not in PACKAGES
    }
    reason = Unknown(
        "packages", "no Python that was looked at holds torch, vllm or sglang: name one with --python"
    )
    return replace(machine, software=known, unknown=(*machine.unknown, reason))


def _version_in(folder: str) -> re.Match[str] | None:
    return _VERSION.search(str(Path(folder).parent))


def _prefixes(environ: Mapping[str, str]) -> Sequence[Path]:
    found = [Path(environ[name]) for name in _NAMED if environ.get(name)]
    for command in _COMMANDS:
        path = shutil.which(command, path=environ.get("PATH", ""))
        if path is not None:
            found += [Path(path).parent.parent, Path(path).resolve().parent.parent]
    return found


def _of_prefix(prefix: Path) -> Environment | None:
    windows = prefix / "Lib" / "site-packages"
    try:
        folders = [str(path) for pattern in _FOLDERS for path in sorted(prefix.glob(pattern))]
        folders += [str(windows)] if windows.is_dir() else []
    except OSError:
        return None
    return Environment(tuple(folders), prefix) if folders else None

"""Whether a probe failed because a release does not have what it is asked for."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType


class Absent(LookupError):
    """A release has no such function or file."""


def absent(error: BaseException, package: str | None) -> str | None:
    """What lacks, in the words of `error`; None where it failed for another reason.

    package: the folder of the release. A file, module or name that lacks below it is what counts: the same
    errors about anything else are faults.
    """
    if package is None:
        return None
    if isinstance(error, Absent):
        return str(error)
    below = Path(package).resolve()
    if isinstance(error, FileNotFoundError):
        # As an operating system names the file, or as `load_kernel_module` says it.
        named = error.filename or str(error).partition(" is not there")[0]
        return _relative(Path(str(named)), below)
    if isinstance(error, ModuleNotFoundError):
        top = (error.name or "").partition(".")[0]
        inside = bool(top) and "." in (error.name or "") and (below / top).is_dir()
        return f"no module {error.name}" if inside else None
    if isinstance(error, ImportError):
        inside = bool(error.path) and _relative(Path(str(error.path)), below) is not None
        return str(error).partition(" (")[0] if inside else None
    if isinstance(error, AttributeError):
        module = error.obj if isinstance(error.obj, ModuleType) else None
        source = getattr(module, "__file__", None)
        if module and source and _relative(Path(source), below) is not None:
            return f"{module.__name__} has no {error.name}"
    return None


def _relative(path: Path, below: Path) -> str | None:
    path = path.resolve()
    return f"no {path.relative_to(below).as_posix()}" if path.is_relative_to(below) else None

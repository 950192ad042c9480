"""What is not read of a launch is said: flags that no setting knows, a model's folder that is not here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

# Of `gotchas` itself: behind `--` they are the server's.
_OURS = (
    *("--all", "--as", "--with", "--from", "--to", "--explain", "--deep", "--json", "--format", "--python"),
    *("--proven-only", "--reported", "--ignore-file", "--machine"),
)
# Where a server listens and what it calls itself: no fault of a GPU hangs on it.
_BESIDE_THE_POINT = ("--host", "--port", "--api-key", "--served-model-name")
_MOST = 12


def not_read(package: str, passed_over: Sequence[str], told: Sequence[str]) -> Iterator[str]:
    """Notes on what was passed over, without values, which may be secrets. told: earlier notes, each of which
    begins with its flag."""
    flags = dict.fromkeys(word for word in passed_over if word.startswith("-") and len(word) > 1)
    ours = [flag for flag in flags if flag in _OURS]
    known = {*ours, *_BESIDE_THE_POINT}
    rest = [flag for flag in flags if flag not in known and not any(note.startswith(flag) for note in told)]
    if ours:
        yield f"{', '.join(ours)}: stands behind --, where it is {package}'s: put it before the --"
    if rest:
        more = f" and {len(rest) - _MOST} more" if len(rest) > _MOST else ""
        yield f"not read, for no record asks for it: {', '.join(rest[:_MOST])}{more}"


def model_not_read(model: str | None, base: Path) -> str | None:
    """The note on a model that is named by a path and of which nothing can be read, None for any other."""
    if model is None or not (model.startswith(("/", "./", "../", "~")) or model.endswith(".gguf")):
        return None
    try:
        path = base / Path(model).expanduser()
        if path.is_dir():
            return None
        what = "is a file, which is not read" if path.is_file() else "no such folder here"
    except (OSError, ValueError, RuntimeError):
        what = "cannot be looked at"
    return f"model {model[:200]}: {what}, so what kind of model it is is not known"

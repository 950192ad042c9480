"""The hash of what a run proved: when one of these changes, the proof no longer speaks of the record."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.records.switches import PATCHES
from gpu_gotchas.repro.source import Repro

_PACKAGE = Path(__file__).resolve().parent.parent
_OURS = "gpu_gotchas.fixes", "gpu_gotchas.upstream"


def fingerprint(gotcha: Gotcha, repro: Repro) -> str:
    """Sixteen hex digits over the repro and its local imports, the fix modules, symptom and affects."""
    sources = _sources(gotcha, repro)
    digest = hashlib.sha256()
    # By name, not by path: where a checkout or an install lies must not matter.
    for name, path in sorted((_name(path, repro), path) for path in sources):
        digest.update(name.encode())
        # Line ends differ between checkouts of one commit.
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    digest.update(_claims(gotcha.path / "gotcha.yaml").encode())
    return digest.hexdigest()[:16]


def _name(path: Path, repro: Repro) -> str:
    base = repro.path.parent if path.is_relative_to(repro.path.parent) else _PACKAGE
    return path.relative_to(base).as_posix()


def _claims(record: Path) -> str:
    """What the record claims, from its file: a change of our own classes must not make every proof stale."""
    import yaml

    data = yaml.load(record.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return json.dumps([data.get(key) for key in ("symptom", "affects", "control")], sort_keys=True)


def _sources(gotcha: Gotcha, repro: Repro) -> set[Path]:
    # What a patch does to a package is shown by the table of patches and releases, not by the record's runs.
    fixes = (fix.use for fix in gotcha.fixes if not fix.use.startswith(PATCHES))
    waiting = [repro.path, *_ours(fixes)]
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        imported = list(_imported(path))
        waiting += _ours(imported)
        waiting += (beside for name in imported if (beside := _module(repro.path.parent, name.split("."))))
    return found


def _imported(path: Path) -> Iterator[str]:
    """Dotted names that may be modules."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _ours(names: Iterable[str]) -> Iterator[Path]:
    """Files of the names that lie below fixes and upstream: the rest of us is no part of a proof."""
    for name in names:
        path = module_path(name) if name.startswith(_OURS) else None
        if path:
            yield path


def module_path(name: str) -> Path | None:
    """The file of a module of ours, or of the module that holds an attribute, found without importing it."""
    return _module(_PACKAGE, name.split(".")[1:])


def _module(base: Path, parts: Sequence[str]) -> Path | None:
    for length in range(len(parts), 0, -1):
        place = base.joinpath(*parts[:length])
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path.is_file():
                return path
    return None

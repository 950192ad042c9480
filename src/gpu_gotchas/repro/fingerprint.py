"""The hash of what a run proved: when one of these changes, the proof no longer speaks of the record."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.source import Repro

_PACKAGE = Path(__file__).resolve().parent.parent
_OURS = "gpu_gotchas.fixes", "gpu_gotchas.upstream"


def fingerprint(gotcha: Gotcha, repro: Repro) -> str:
    """Sixteen hex digits over the repro and its local imports, the fix modules, symptom and affects."""
    digest = hashlib.sha256()
    for path in sorted(_sources(gotcha, repro)):
        digest.update(path.name.encode())
        # Line ends differ between checkouts of one commit.
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    digest.update(_claims(gotcha.path / "gotcha.yaml").encode())
    return digest.hexdigest()[:16]


def _claims(record: Path) -> str:
    """What the record claims, from its file: a change of our own classes must not make every proof stale."""
    import yaml

    data = yaml.load(record.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return json.dumps([data.get(key) for key in ("symptom", "affects", "control")], sort_keys=True)


def _sources(gotcha: Gotcha, repro: Repro) -> set[Path]:
    waiting = [repro.path, *_fix_modules(fix.use for fix in gotcha.fixes)]
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        waiting += _imported(path, local=repro.path.parent)
    return found


def _imported(path: Path, local: Path) -> Iterator[Path]:
    """Files of ours that `path` imports: beside the repro, or below fixes and upstream."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    yield from _fix_modules(names)
    for name in names:
        beside = local / f"{name}.py"
        if "." not in name and beside.is_file():
            yield beside


def _fix_modules(names: Iterable[str]) -> Iterator[Path]:
    for name in names:
        if name.startswith(_OURS):
            path = module_path(name)
            if path:
                yield path


def module_path(name: str) -> Path | None:
    """The file of a module of ours, or of the module that holds an attribute, found without importing it."""
    parts = name.split(".")[1:]
    for length in range(len(parts), 0, -1):
        base = _PACKAGE.joinpath(*parts[:length])
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                return path
    return None

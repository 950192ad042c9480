"""What a Python file says about itself, read without running it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu_gotchas.records.root import package_root


@dataclass(frozen=True, slots=True)
class Source:
    """A module's docstring, the names it binds at its top level, and its NEEDS.

    needs: the literal, or None when there is none or it is not a literal. fault: why it could not be parsed.
    """

    docstring: str | None
    names: frozenset[str]
    needs: Any
    fault: str | None = None


def read_source(path: Path) -> Source:
    """Never raises on what the file holds."""
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Source(None, frozenset(), None, f"{type(error).__name__}: {error}")
    return Source(ast.get_docstring(tree), bound_names(tree), _literal(tree, "NEEDS"))


def module_file(names: Sequence[str]) -> Path | None:
    """The file of a module of this package, given the names below it; None where there is none."""
    place = package_root().joinpath(*names)
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


def bound_names(tree: ast.Module) -> frozenset[str]:
    """Names of functions, classes, imports and plain assignments at the top level."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        else:
            names |= {target.id for target in _targets(node) if isinstance(target, ast.Name)}
    return frozenset(names)


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []


def _literal(tree: ast.Module, name: str) -> Any:
    for node in tree.body:
        bound = any(isinstance(target, ast.Name) and target.id == name for target in _targets(node))
        if bound and isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            try:
                return ast.literal_eval(node.value)
            except (ValueError, TypeError):
                return None
    return None

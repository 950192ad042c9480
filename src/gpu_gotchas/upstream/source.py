"""What an installed package's source says at a place, read without importing it.

A signature is a hash over the parsed definition without positions, comments, docstrings and annotations, so
that it is the same for every Python and every build of a release, and changes with any change of behaviour.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

from gpu_gotchas.upstream.patch import Place

_NO_MEANING = {"ctx", "type_comment", "kind", "type_params", "type_ignores", "annotation", "returns"}
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def source_file(module: str) -> Path | None:
    """The file of a module, found without importing it; None when the package or the file is not there."""
    top, *rest = module.split(".")
    loaded = sys.modules.get(top)
    folders = list(getattr(loaded, "__path__", ()))
    if not folders:
        try:
            spec = importlib.util.find_spec(top)
        except (ImportError, ValueError):
            return None
        if spec is None:
            return None
        if not rest and spec.origin and not spec.submodule_search_locations:
            return Path(spec.origin)
        folders = list(spec.submodule_search_locations or ())
    for folder in folders:
        base = Path(folder).joinpath(*rest)
        for path in (base / "__init__.py", base.with_suffix(".py") if rest else base / "__init__.py"):
            if path.is_file():
                return path
    return None


def signature(place: Place) -> str | None:
    """Sixteen hex digits over what the installed source defines at a place; None when it defines nothing."""
    path = source_file(place.module)
    tree = _parsed(path) if path else None
    if tree is None:
        return None
    found = [_find(tree, name.split(".")) for name in (place.name, *place.also)]
    if found[0] is None:
        return None
    return hashlib.sha256(repr([node and _shape(node) for node in found]).encode()).hexdigest()[:16]


def is_loaded_code(place: Place, live: object) -> bool:
    """Whether `live` runs what the file says at `place`: another patcher, or a stale cache, may differ.

    For a module variable there is no code to compare, and the answer is yes.
    """
    path = source_file(place.module)
    tree = _parsed(path) if path else None
    node = _find(tree, place.name.split(".")) if tree else None
    if tree is None or node is None:
        return False
    if not isinstance(node, _Definition):
        return True
    code = loaded_code(live)
    return code is not None and code == _compiled(tree, place.name, str(path))


def loaded_code(live: Any) -> CodeType | None:
    """The code of a function below the wrappers that the package's own decorators put around it."""
    seen: set[int] = set()
    while id(live) not in seen:
        seen.add(id(live))
        code = getattr(live, "__code__", None)
        inner = getattr(live, "__wrapped__", None) or getattr(live, "__func__", None)
        # Triton's functions keep the Python function they were made from under `fn`.
        inner = inner or (None if code else getattr(live, "fn", None))
        if inner is None:
            return code if isinstance(code, CodeType) else None
        live = inner
    return None


def _parsed(path: Path) -> ast.Module | None:
    try:
        return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    except (OSError, SyntaxError, ValueError):
        return None


def _find(tree: ast.AST, names: Sequence[str]) -> ast.AST | None:
    node: ast.AST | None = tree
    for name in names:
        # A later definition of the same name is the one that holds.
        node = next((one for one in reversed(list(_defined(node))) if _name(one) == name), None)
        if node is None:
            return None
    return node


def _defined(node: ast.AST | None) -> Iterator[ast.AST]:
    """Definitions in a body, also below `if` and `try`."""
    for child in getattr(node, "body", []):
        yield child
        if isinstance(child, ast.If | ast.Try):
            yield from _defined(child)
            yield from child.orelse


def _name(node: ast.AST) -> str | None:
    if isinstance(node, _Definition):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def _shape(node: Any) -> object:
    if isinstance(node, list):
        return tuple(_shape(one) for one in node)
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = []
    for name in node._fields:
        value = getattr(node, name, None)
        if name in _NO_MEANING or value is None or value == []:
            continue
        if name == "body" and isinstance(node, _Definition) and ast.get_docstring(node, clean=False):
            value = value[1:] or [ast.Pass()]
        fields.append((name, _shape(value)))
    return type(node).__name__, tuple(fields)


def _compiled(tree: ast.Module, name: str, path: str) -> CodeType | None:
    """The code of one definition, as compiling the whole file would make it, at a fraction of the time."""
    top = name.partition(".")[0]
    wanted = [node for node in _defined(tree) if _name(node) == top][-1:]
    # The compiler treats an attribute of an imported name differently, so it must see the imports too.
    module = ast.Module(body=[*_imports(tree), *wanted], type_ignores=[])  # type: ignore[list-item]
    codes = _codes(compile(module, path, "exec", dont_inherit=True))
    return next((code for code in codes if code.co_qualname == name), None)


def _imports(node: ast.AST) -> Iterator[ast.stmt]:
    """Imports of a module's own scope, wherever they stand in it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not isinstance(child, _Definition | ast.Lambda):
            yield from _imports(child)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)

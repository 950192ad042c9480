"""Single functions out of an upstream source file, run without importing the package they belong to.

A package such as vLLM cannot be imported where its compiled parts are missing, yet many of its decisions
are plain functions. They are taken from the file by name and executed with named stand-ins for what they
refer to. Nothing of the file is changed, and nothing else in it runs.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from gpu_gotchas.repro.absent import Absent
from gpu_gotchas.repro.upstream.stand_ins import say_stood_in


def take(
    path: Path, names: Sequence[str], stand_ins: Mapping[str, object], *, if_there: Sequence[str] = ()
) -> dict[str, Any]:
    """The functions, classes and constants called `names` at the top level of `path`, beside `stand_ins`.

    `Class.method` takes a method alone, as a function. Annotations are not evaluated, so they need no
    stand-ins. `if_there` are names that only some releases have, for the others to refer to. Raises
    LookupError when one of `names` is not there, FileNotFoundError when the file is not.
    """
    tree = _parse(path)
    wanted = [node for node in tree.body if _binds(node) & {*names, *if_there}]
    methods = {name: _method(tree, name) for name in (*names, *if_there) if "." in name}
    found = {*(name for name, node in methods.items() if node), *(n for node in wanted for n in _binds(node))}
    missing = sorted(set(names) - found)
    if missing:
        raise Absent(f"{path} defines no {', '.join(missing)} at its top level")
    wanted += [node for node in methods.values() if node]
    namespace = _run(wanted, path, stand_ins)
    return {name: namespace[name.rpartition(".")[2]] for name in names}


def run_branch(path: Path, function: str, test: str, stand_ins: Mapping[str, object]) -> dict[str, Any]:
    """Run one `if` statement of `function`, the first whose condition holds the text `test`.

    For a decision in the midst of a function too large to be run. `stand_ins` are the names that it refers
    to, those of the function's own variables too; returns all names as they are afterwards. Raises as
    `take` does.
    """
    tree = _parse(path)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function]
    body = _method(tree, function) if "." in function else next(iter(functions), None)
    branches = (node for node in ast.walk(body or ast.Module([], [])) if isinstance(node, ast.If))
    branch = next((node for node in branches if test in ast.unparse(node.test)), None)
    if branch is None:
        raise Absent(f"{path} has no branch on {test} in {function}")
    return _run([branch], path, stand_ins)


def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def _run(nodes: Sequence[ast.stmt], path: Path, stand_ins: Mapping[str, object]) -> dict[str, Any]:
    header = ast.parse("from __future__ import annotations").body
    module = ast.Module(body=[*header, *nodes], type_ignores=[])
    # Triton asks what it compiles for its module's name, and dataclasses look the module up by it.
    held = ModuleType(f"extracted_{path.stem}")
    sys.modules[held.__name__] = held
    vars(held).update(stand_ins)
    say_stood_in(*stand_ins)
    exec(compile(module, str(path), "exec"), vars(held))
    return vars(held)


def _method(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    owner, _, method = name.partition(".")
    classes = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == owner)
    inside = (node for each in classes for node in each.body if isinstance(node, ast.FunctionDef))
    return next((node for node in inside if node.name == method), None)


def _binds(node: ast.stmt) -> set[str]:
    """The names that a statement of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    return {target.id for target in targets if isinstance(target, ast.Name)}

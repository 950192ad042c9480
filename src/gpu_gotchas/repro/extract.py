"""Single functions out of an upstream source file, run without importing the package they belong to.

A package such as vLLM cannot be imported where its compiled parts are missing, yet many of its decisions
are plain functions. They are taken from the file by name and executed with named stand-ins for what they
refer to. Nothing of the file is changed, and nothing else in it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gpu_gotchas.repro.absent import Absent
from gpu_gotchas.repro.upstream.stand_ins import say_stood_in


def take(
    path: Path, names: Sequence[str], stand_ins: Mapping[str, object], *, if_there: Sequence[str] = ()
) -> dict[str, Any]:
    """The functions, classes and constants called `names` at the top level of `path`, beside `stand_ins`.

    Annotations are not evaluated, so they need no stand-ins. `if_there` are names that only some releases
    have, for the others to refer to. Raises LookupError when one of `names` is not there, FileNotFoundError
    when the file is not.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    wanted = [node for node in tree.body if _binds(node) & {*names, *if_there}]
    missing = sorted(set(names).difference(*map(_binds, wanted)))
    if missing:
        raise Absent(f"{path} defines no {', '.join(missing)} at its top level")
    header = ast.parse("from __future__ import annotations").body
    module = ast.Module(body=[*header, *wanted], type_ignores=[])
    namespace: dict[str, Any] = dict(stand_ins)
    say_stood_in(*stand_ins)
    exec(compile(module, str(path), "exec"), namespace)
    return {name: namespace[name] for name in names}


def _binds(node: ast.stmt) -> set[str]:
    """The names that a statement of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    return {target.id for target in targets if isinstance(target, ast.Name)}

"""What a repro defines, read from its source: a repro is code, and looking at it must not run it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpu_gotchas.repro.probe import Probe, Tier

ELSEWHERE = "bug_elsewhere"


class ReproError(ValueError):
    """A repro that cannot be read. path, line: where."""

    def __init__(self, message: str, path: Path, line: int) -> None:
        self.message = message
        self.path = path
        self.line = line
        super().__init__(f"{path}:{line}: {message}")


@dataclass(frozen=True, slots=True)
class Needs:
    """What a repro asks of a machine. can_wedge: it may leave the card unusable, so it runs only by name.

    imports: modules of an upstream package that its package tier imports, whole and once for each release.
    """

    gpus: int = 1
    memory_gib: float = 1
    minutes: float = 2
    can_wedge: bool = False
    imports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Repro:
    """path: the file. functions: names that it defines at its top level."""

    path: Path
    functions: frozenset[str]
    needs: Needs = field(default_factory=Needs)

    def function(self, probe: Probe, tier: Tier) -> str | None:
        """The name that serves `probe` in `tier`: the one with the tier's suffix, else the plain one.

        A plain name serves the compile and the device tier only.
        """
        suffixed = f"{probe.value}_{tier.value}"
        if suffixed in self.functions:
            return suffixed
        plain = tier in (Tier.COMPILE, Tier.DEVICE) and probe.value in self.functions
        return probe.value if plain else None

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The tiers in which its bug can be shown."""
        return tuple(tier for tier in Tier if self.function(Probe.BUG, tier))


def read_repro(folder: Path) -> Repro | None:
    """The repro of a gotcha's folder, or None where there is none.

    Raises ReproError when it is no Python, or NEEDS is no literal dict of what can be needed.
    """
    path = folder / "repro.py"
    if not path.is_file():
        return None
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    except (SyntaxError, ValueError) as error:
        raise ReproError(f"this is no Python: {error}", path, getattr(error, "lineno", None) or 1) from error
    functions = frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    return Repro(path, functions, _needs(path, tree))


def _needs(path: Path, tree: ast.Module) -> Needs:
    for node in tree.body:
        value = _assigned_needs(node)
        if value is None:
            continue
        try:
            return _checked(ast.literal_eval(value))
        except (ValueError, TypeError) as error:
            what = ", ".join(Needs.__dataclass_fields__)
            raise ReproError(f"NEEDS must be a literal dict of {what}: {error}", path, node.lineno) from error
    return Needs()


def _assigned_needs(node: ast.stmt) -> ast.expr | None:
    if isinstance(node, ast.Assign):
        return node.value if [ast.unparse(target) for target in node.targets] == ["NEEDS"] else None
    return node.value if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "NEEDS" else None


def _checked(literal: Any) -> Needs:
    if not isinstance(literal, Mapping):
        raise TypeError(f"this is a {type(literal).__name__}")
    for name, value in literal.items():
        if name == "imports":
            _check_imports(value)
            continue
        wanted = bool if name == "can_wedge" else (int, float)
        if not isinstance(value, wanted) or (name != "can_wedge" and (isinstance(value, bool) or value < 0)):
            raise ValueError(f"{name} cannot be {value!r}")
    return Needs(**{**literal, "imports": tuple(literal.get("imports", ()))})


def _check_imports(value: object) -> None:
    if not isinstance(value, list | tuple) or not all(
        isinstance(name, str) and all(part.isidentifier() for part in name.split(".")) for name in value
    ):
        raise ValueError(f"imports must list modules, such as ['vllm.config'], not {value!r}")

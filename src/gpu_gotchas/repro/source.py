"""What a repro defines, read from its source: a repro is code, and looking at it must not run it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpu_gotchas.repro.probe import Probe, Tier

ELSEWHERE = "bug_elsewhere"


@dataclass(frozen=True, slots=True)
class Needs:
    """What a repro asks of a machine. can_wedge: it may leave the card unusable, so it runs only by name."""

    gpus: int = 1
    memory_gib: float = 1
    minutes: float = 2
    can_wedge: bool = False


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

    Raises ValueError, naming the file and line, when it is no Python or NEEDS is no literal of known keys.
    """
    path = folder / "repro.py"
    if not path.is_file():
        return None
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    except (SyntaxError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}:{getattr(error, 'lineno', None) or 1}: {error}") from error
    functions = frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    return Repro(path, functions, _needs(path, tree))


def _needs(path: Path, tree: ast.Module) -> Needs:
    for node in tree.body:
        if not isinstance(node, ast.Assign) or [ast.unparse(target) for target in node.targets] != ["NEEDS"]:
            continue
        try:
            literal: Any = ast.literal_eval(node.value)
            if not isinstance(literal, Mapping):
                raise TypeError("NEEDS must be a dict")
            return Needs(**literal)
        except (ValueError, TypeError) as error:
            allowed = ", ".join(Needs.__dataclass_fields__)
            raise ValueError(
                f"{path}:{node.lineno}: NEEDS must be a literal dict of {allowed}: {error}"
            ) from error
    return Needs()

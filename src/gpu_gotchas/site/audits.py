"""What `gotchas audit` kept of a release (audits/*.json): its kernels, compiled for cards not here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """shown: target to what came out there. errors: the compiler's own. guessed: arguments nobody states."""

    kernel: str
    variant: str
    shown: Mapping[str, str]
    errors: tuple[str, ...]
    guessed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """kernels: how many the release has; looked_at: of these. built, not_built: ways to launch them."""

    package: str
    versions: Mapping[str, str]
    targets: tuple[str, ...]
    kernels: int
    looked_at: int
    built: int
    not_built: int
    findings: tuple[Finding, ...]


def load_audits(folder: Path) -> tuple[Audit, ...]:
    """By name; none where there is no such folder, as in an install. Raises ValueError for a broken file."""
    if not folder.is_dir():
        return ()
    return tuple(map(_load, sorted(folder.glob("*.json"))))


def _load(path: Path) -> Audit:
    try:
        said = json.loads(path.read_text("utf-8"))
        numbers = {name: int(said[name]) for name in ("kernels", "looked_at", "built", "not_built")}
        findings = tuple(map(_finding, said["findings"]))
        return Audit(
            str(said["package"]),
            dict(said["versions"]),
            tuple(said["targets"]),
            **numbers,
            findings=findings,
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no audit: {type(error).__name__}: {error}") from error


def _finding(said: Mapping[str, Any]) -> Finding:
    return Finding(
        str(said["kernel"]),
        str(said["variant"]),
        dict(said["shown"]),
        tuple(said["errors"]),
        tuple(said["guessed"]),
    )

"""The rows of an audit as one small document: what was found, and how much was looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpu_gotchas.fixes.launch_audit.rows import REFERENCE, Row

_NEEDED_FP8 = "fp8e4nv not supported"


def kind_of(row: Row, target: str) -> str | None:
    """What a row shows on a target, in one word; None for nothing.

    `no-fp8` is the plain case of a card whose Triton has no E4M3: a fault only where nothing refuses before.
    """
    one = row.compiled[target]
    if one.error:
        return "no-fp8" if _NEEDED_FP8 in one.error else "does-not-compile"
    if not one.fits:
        return "does-not-fit"
    return "upcast" if one.upcast else None


def table(
    rows: Iterable[Row], *, package: str, kernels: int, targets: Sequence[str], versions: Mapping[str, str]
) -> dict[str, Any]:
    """rows: of one package. kernels: how many it has for these cards, looked at or not."""
    rows = sorted(rows, key=lambda row: (row.kernel, row.variant))
    built = [row for row in rows if not row.not_built]
    counts = {
        target: dict(sorted(Counter(kind for row in built if (kind := kind_of(row, target))).items()))
        for target in targets
    }
    return {
        "version": 1,
        "package": package,
        "versions": dict(versions),
        "reference": REFERENCE,
        "targets": list(targets),
        "kernels": kernels,
        "looked_at": len({row.kernel for row in rows}),
        "built": len(built),
        "not_built": len(rows) - len(built),
        "narrow": sum(any(one.narrow for one in row.compiled.values()) for row in built),
        "counts": counts,
        "findings": [_finding(row, targets) for row in built if any(kind_of(row, each) for each in targets)],
        "unbuilt": dict(Counter(_cut(row.not_built) for row in rows if row.not_built).most_common(20)),
    }


def _finding(row: Row, targets: Sequence[str]) -> dict[str, Any]:
    shown = {target: kind for target in targets if (kind := kind_of(row, target))}
    errors = sorted({row.compiled[target].error for target in shown} - {""})
    return {
        "kernel": row.kernel,
        "variant": row.variant,
        "shown": shown,
        "shared": {target: row.compiled[target].shared for target in shown if row.compiled[target].shared},
        "errors": errors,
        "guessed": list(row.guessed),
        "asks": row.asks,
    }


def _cut(reason: str) -> str:
    return reason.split("Got ")[0].split("(")[0].strip()[:80]

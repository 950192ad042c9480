"""What benchmarks/results holds of speed, as frozen data. A file of another form is none of these."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Ratio:
    """One comparison in one run. ratio: above 1 is better. aim: what was aimed at, None where nothing was.

    spread: how far the subject strayed from itself in the run, as a share; None where nobody measured.
    """

    name: str
    against: str
    ratio: float
    shape: str
    aim: float | None = None
    spread: float | None = None

    @property
    def missed(self) -> bool:
        return self.aim is not None and self.ratio < self.aim


@dataclass(frozen=True, slots=True)
class Benchmark:
    """card: None for what needs none. date: ISO. versions: of what took part."""

    name: str
    card: str | None
    date: str
    versions: Mapping[str, str]
    ratios: tuple[Ratio, ...]


def load_benchmarks(folder: Path) -> tuple[Benchmark, ...]:
    """By name; none where there is no such folder, as in an install. Raises ValueError for a broken file."""
    if not folder.is_dir():
        return ()
    found = [_load(path) for path in sorted(folder.glob("*.json"))]
    return tuple(one for one in found if one)


def _load(path: Path) -> Benchmark | None:
    try:
        data = json.loads(path.read_text("utf-8"))
        rows = data.get("rows", ()) if isinstance(data, dict) else ()
        ratios = tuple(_ratio(row) for row in rows if "ratio" in row and "against" in row)
        if not ratios:
            return None
        return Benchmark(path.stem, data["card"], data["date"], dict(data["versions"]), ratios)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no benchmark result: {type(error).__name__}: {error}") from error


def _ratio(row: Mapping[str, Any]) -> Ratio:
    ratio = float(row["ratio"])
    if not 0 < ratio < float("inf"):
        raise ValueError(f"a ratio is a number above 0, not {row['ratio']!r}")
    aim = row.get("aim")
    return Ratio(
        str(row["name"]),
        str(row["against"]),
        ratio,
        str(row.get("shape", "")),
        None if aim is None else float(aim),
        row.get("spread"),
    )

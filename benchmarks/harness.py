"""Time GPU calls against each other in one run: graph replay, ABBA order, medians, and how far A strays from
A.

A subject is a list of calls on different inputs, together past three times the card's L2 cache, so that no
call finds its input there. One replay of a subject's graph makes all its calls. Ratios come from medians of
replays that alternate A, B, B, A; the spread is the ratio of A's median in first places to that in last
places."""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import torch

L2_ROTATIONS = 3
ROUNDS = 16
RESULTS = Path(__file__).parent / "results"
_TOLD = ("name", "against", "shape", "ratio", "aim")


@dataclass(frozen=True, slots=True)
class Timed:
    """Microseconds a call of A and of B, medians; spread: |A / A - 1| within the run."""

    a: float
    b: float
    spread: float

    @property
    def ratio(self) -> float:
        return self.b / self.a

    def row(self, name: str, against: str, shape: str, aim: float | None = None) -> dict[str, Any]:
        """What every table says of a comparison; a benchmark adds its own figures."""
        aimed = {} if aim is None else {"aim": aim}
        return {
            "name": name,
            "against": against,
            "ratio": round(self.ratio, 3),
            **aimed,
            "shape": shape,
            "microseconds": round(self.a, 2),
            "against_microseconds": round(self.b, 2),
            "spread": round(self.spread, 4),
        }


class Subject:
    """Calls captured in one graph. Capturing runs the first call before, so that nothing compiles in it."""

    def __init__(self, calls: Sequence[Callable[[], object]]) -> None:
        self.count = len(calls)
        self._calls = calls  # what they hold must outlive the graph
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for call in calls[:2]:
                call()
        torch.cuda.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            for call in calls:
                call()
        self.time()

    def time(self) -> float:
        """Microseconds a call in one replay."""
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        self._graph.replay()
        end.record()
        torch.cuda.synchronize()
        return start.elapsed_time(end) * 1e3 / self.count

    def median(self, rounds: int = 7) -> float:
        return statistics.median(self.time() for _ in range(rounds))


class Taken(Protocol):
    """What can be timed."""

    def time(self) -> float: ...


def compare(a: Taken, b: Taken, rounds: int = ROUNDS) -> Timed:
    """A against B, `rounds` times A, B, B, A."""
    first, last, other = [], [], []
    for _ in range(rounds):
        first.append(a.time())
        other += [b.time(), b.time()]
        last.append(a.time())
    spread = abs(statistics.median(first) / statistics.median(last) - 1)
    return Timed(statistics.median(first + last), statistics.median(other), spread)


def rotations(bytes_a_call: int) -> int:
    """How many inputs of this size a subject needs: past three times the L2 cache, at least three calls."""
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    return max(3, -(-L2_ROTATIONS * cache // bytes_a_call))


def copy_rate(size: int = 1 << 31) -> float:
    """Bytes per second of a copy on the device, read and written; the best of ten medians of three."""
    source = torch.randint(0, 255, (size // 8,), device="cuda")
    into = torch.empty_like(source)
    best = float("inf")
    for _ in range(10):
        times = []
        for _ in range(3):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            into.copy_(source)
            end.record()
            torch.cuda.synchronize()
            times.append(start.elapsed_time(end) / 1e3)
        best = min(best, statistics.median(times))
    return 2 * source.numel() * source.element_size() / best


class Table:
    """The rows of a benchmark, each printed as it comes. copy: the card's copy rate, bytes per second."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.copy = copy_rate()
        self.rows: list[dict[str, Any]] = []
        print(f"copy {self.copy / 1e9:.0f} GB/s")

    def rates(self, size: float, microseconds: float, operations: float | None = None) -> dict[str, Any]:
        """What moving `size` bytes, and where given doing so many operations, in that time comes to."""
        rates = {
            "gigabytes_per_second": round(size / microseconds / 1e3),
            "of_copy": round(size / microseconds * 1e6 / self.copy, 3),
        }
        return (
            rates if operations is None else rates | {"teraflops": round(operations / microseconds / 1e6, 1)}
        )

    def add(self, row: dict[str, Any]) -> None:
        self.rows.append(row)
        what = " | ".join(str(row[key]) for key in ("name", "against", "shape") if key in row)
        aim = ""
        if "aim" in row:
            aim = f" aim {row['aim']} {'reached' if row['ratio'] >= row['aim'] else 'NOT reached'}"
        others = (f"{key} {said}" for key, said in row.items() if key not in _TOLD)
        print(f"{what} | {row['ratio']} x{aim} | {', '.join(others)}", flush=True)

    def write(self, folder: Path) -> None:
        """Write `<name>.json` with card, date, versions, copy rate and rows."""
        import triton

        said = {
            "card": torch.cuda.get_device_name(0),
            "date": datetime.now(UTC).date().isoformat(),
            "versions": {"torch": torch.__version__.partition("+")[0], "triton": triton.__version__},
            "copy_gigabytes_per_second": round(self.copy / 1e9),
            "rows": self.rows,
        }
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.json"
        path.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
        print(path)


def parser_of(text: str | None) -> argparse.ArgumentParser:
    """A benchmark's arguments, which begin with where the results go; text: its docstring."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, default=RESULTS, metavar="FOLDER", help="for the results")
    return parser

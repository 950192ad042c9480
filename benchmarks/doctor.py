"""Whether the doctor names what people reported, and how long it takes.

    python -m benchmarks.doctor reports [--show] [--update]
    python -m benchmarks.doctor speed [--rounds 25] [--update]

`reports`: each public report of a failure that a record or a candidate covers is told to the doctor as its
hardware, versions and flags (*stated*), and once more with its title. Its own is *named* when it is told
by name without being asked for, as what will happen or as one of the likeliest that may: these are three
in all, of records and candidates together, beside what will happen. What was built on and what was held back
are counted apart; shares come with Wilson's 95 % intervals. The weights of `doctor/relevance.py` were chosen
on the part built on.

`speed`: times `python -c pass`, measured interleaved in one run with compiled files, as an install has them.
`--update` writes results/doctor.json.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.doctor_measure import BUILT_ON, PARTS, all_shares, ask, knowledge, sample
from benchmarks.search_measure import Share
from tests.corpus import reports

from gpu_gotchas import __version__

RESULTS = Path(__file__).parent / "results" / "doctor.json"
NAMED, FEW = "its own is named", "at most 3 others are named"
AIMS = {f"held back, stated: {NAMED}": 0.9, f"held back, stated: {FEW}": 1.0}


@dataclass(slots=True)
class Run:
    """One command of the comparison. aim: the most times of `python -c pass`. taken: seconds of each run."""

    name: str
    command: Sequence[str]
    aim: float | None = None
    taken: list[float] = field(default_factory=list)


def speed(rounds: int) -> list[dict[str, Any]]:
    here = "from gpu_gotchas.hardware.detect import this_machine; this_machine()"
    cli = [sys.executable, "-c", "import sys; from gpu_gotchas.cli import main; sys.exit(main())"]
    described = ["--as", "sm_86", "--with", "vllm==0.21.0", "--", "vllm", "serve", "m"]
    runs = (
        Run("python -c pass", [sys.executable, "-c", "pass"]),
        Run("this_machine()", [sys.executable, "-c", here]),
        Run("gotchas doctor", [*cli, "doctor"], aim=15.0),
        Run("gotchas doctor --as", [*cli, "doctor", *described], aim=15.0),
    )
    with tempfile.TemporaryDirectory() as folder:
        # Compiled files belong to an install; a shell that forbids them would time the compiler.
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment = {**kept, "PYTHONPYCACHEPREFIX": folder}
        for number in range(rounds + 1):
            for run in runs:
                start = time.perf_counter()
                subprocess.run(run.command, capture_output=True, check=False, env=environment)
                if number:
                    run.taken.append(time.perf_counter() - start)
    base = statistics.median(runs[0].taken)
    rows = []
    for run in runs[1:]:
        seconds = statistics.median(run.taken)
        aim = {} if run.aim is None else {"at_most": run.aim}
        rows.append(
            {
                "name": run.name,
                "times_python_pass": round(seconds / base, 2),
                **aim,
                "seconds": round(seconds, 3),
            }
        )
    return rows


def share_rows(found: Mapping[str, Share]) -> list[dict[str, Any]]:
    rows = []
    for name, share in found.items():
        low, high = share.interval
        row = {"name": name, "value": round(share.value, 4), "count": share.count, "of": share.of}
        row |= {"low": round(low, 4), "high": round(high, 4)}
        rows.append(row | ({"aim": AIMS[name]} if name in AIMS else {}))
    return rows


def kept(key: str) -> list[dict[str, Any]]:
    """The committed rows of `rows`, `sample` or `speed`; none before the first."""
    if not RESULTS.is_file():
        return []
    rows: list[dict[str, Any]] = json.loads(RESULTS.read_text("utf-8")).get(key, [])
    return rows


def write(**parts: Sequence[Mapping[str, Any]]) -> None:
    """Put these rows in the place of the committed ones; what was not measured stays."""
    document = {
        "card": None,
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {"gpu-gotchas": __version__},
        "rows": kept("rows"),
        "sample": kept("sample"),
        "speed": kept("speed"),
        **parts,
    }
    RESULTS.write_text(json.dumps(document, indent=1) + "\n", "utf-8")


def show_missed() -> None:
    """Each report of the part that may be built on whose own is not named."""
    known = knowledge()
    chosen = [report for report in reports() if report.part in PARTS[BUILT_ON]]
    for title in (False, True):
        for one in ask(known, chosen, title=title):
            if not one.hit:
                said = "denied" if one.denied else ", ".join(one.told)
                print(f"{one.report.id} ({'title' if title else 'stated'}): {one.own.id}; named: {said}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kind", choices=("reports", "speed"))
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--show", action="store_true", help="each report built on whose own is not named")
    parser.add_argument("--update", action="store_true")
    chosen = parser.parse_args()
    if chosen.kind == "speed":
        rows = speed(chosen.rounds)
        print(json.dumps(rows, indent=1))
        if chosen.update:
            write(speed=rows)
        return 0
    known = knowledge()
    found = all_shares(known)
    for name, share in found.items():
        print(f"{name:<60} {share}{f'  aim {AIMS[name]}' if name in AIMS else ''}")
    if chosen.show:
        show_missed()
    if chosen.update:
        write(rows=share_rows(found), sample=share_rows(sample(known)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

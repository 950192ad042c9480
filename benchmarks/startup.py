"""How long commands take to answer, as a ratio to `python -c pass`, measured interleaved in one run.

    python benchmarks/startup.py [--records 1000] [--rounds 25]

Lays out an install and a checkout with invented records in a temporary folder, so that neither this
project's records nor its index are touched. The aims hold for the install, which is what users have; in a
checkout every record is looked at first, to see whether it is newer than the index. Exits with 1 when a
ratio is above its aim.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
SEARCHED = "RuntimeError: invented stage_617 overflow, Required: 123456, Hardware limit: 101376"

_RECORD = """\
id: {id}
title: "{words}"
status: reproduced
severity: major
kind: crash
added: "2026-11-30"
concepts: [{concept}]
symptom:
  summary: "{summary}"
  signatures:
    - lines: ["invented stage_{number} overflow, Required: {{required:int}}, Hardware limit: {{limit:int}}"]
      basis: proven
      context: ["_invented_kernel_{number}"]
root_cause: "{cause}"
workaround:
  - {{do: "{advice}", costs: "Some speed."}}
affects:
  - hardware: {{nvidia: {{compute_capability: [">=8.0,<9.0"]}}}}
    software: {{vllm: {{introduced: "0.10.0", last_bad: "0.20.0"}}}}
control: hardware
reporter_count: 0
"""

_HEARD = """\
- of: invented-{number:04}
  text: |
    File "/usr/lib/python3/site-packages/invented/{file}.py", line 12, in run_{number}
    RuntimeError: {said}
    RuntimeError: invented stage_{number} overflow, Required: 123456, Hardware limit: 101376
"""


def write_checkout(base: Path, count: int) -> None:
    """A checkout with this package's source and `count` invented records of usual length."""
    shutil.copytree(PROJECT / "src", base / "src", ignore=shutil.ignore_patterns("__pycache__", "_data"))
    shutil.copytree(PROJECT / "schema", base / "schema")
    (base / "pyproject.toml").touch()
    write_records(base / "gotchas", count)


def write_install(base: Path, checkout: Path) -> None:
    """The same as a wheel lays it out, with the index that the checkout's first search has built."""
    shutil.copytree(checkout / "src", base, ignore=shutil.ignore_patterns("__pycache__"))
    data = base / "gpu_gotchas" / "_data"
    for name in ("gotchas", "schema"):
        shutil.copytree(checkout / name, data / name)
    shutil.copy(checkout / "build" / "index.json", data)


def write_records(root: Path, count: int) -> None:
    chance = random.Random(0)
    vocabulary = [f"{chance.choice('bcdfgklmnprstvz')}{chance.choice('aeiou')}{n:x}word" for n in range(6000)]

    def text(words: int) -> str:
        return " ".join(chance.choices(vocabulary, k=words))

    for number in range(count):
        folder = root / f"invented-{number:04}"
        folder.mkdir(parents=True)
        (folder / "gotcha.yaml").write_text(
            _RECORD.format(
                id=folder.name,
                number=number,
                concept=chance.choice(vocabulary),
                words=text(7),
                summary=text(25),
                cause=text(70),
                advice=text(15),
            ),
            "utf-8",
        )
    reports = (_HEARD.format(number=number, said=text(8), file=text(1)) for number in range(count))
    (root / "_heard.yaml").write_text("".join(reports), "utf-8")


@dataclass(slots=True)
class Run:
    """One command of the comparison. taken: seconds of each run. aim: the highest ratio that will do."""

    name: str
    command: Sequence[str]
    environment: dict[str, str]
    aim: float | None = None
    taken: list[float] = field(default_factory=list)


def seconds(command: Sequence[str], environment: dict[str, str]) -> float:
    """Wall time of one run, which must succeed."""
    start = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=25)
    chosen = parser.parse_args()
    gotchas = [sys.executable, "-c", "import sys; from gpu_gotchas.cli import main; sys.exit(main())"]
    search = [*gotchas, "search", SEARCHED]
    with tempfile.TemporaryDirectory() as folder:
        checkout, install = Path(folder, "checkout"), Path(folder, "install")
        write_checkout(checkout, chosen.records)
        # An install is byte-compiled, whatever the environment says.
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        in_checkout = {**kept, "PYTHONPATH": str(checkout / "src")}
        seconds(search, in_checkout)  # builds the index
        write_install(install, checkout)
        installed = {**kept, "PYTHONPATH": str(install)}
        runs = (
            Run("python -c pass", [sys.executable, "-c", "pass"], installed),
            Run("gotchas --version", [*gotchas, "--version"], installed, aim=4.0),
            Run("gotchas search", search, installed, aim=8.0),
            Run("gotchas search, checkout", search, in_checkout),
        )
        for run in runs:  # byte-compiles
            seconds(run.command, run.environment)
        for _ in range(chosen.rounds):
            for run in runs:
                run.taken.append(seconds(run.command, run.environment))
    base = statistics.median(runs[0].taken)
    rows = [
        {"name": run.name, "ratio": round(statistics.median(run.taken) / base, 2), "aim": run.aim}
        for run in runs[1:]
    ]
    print(json.dumps({"records": chosen.records, "rounds": chosen.rounds, "rows": rows}, indent=2))
    return int(any(run.aim and statistics.median(run.taken) / base > run.aim for run in runs))


if __name__ == "__main__":
    sys.exit(main())

"""How long commands take to answer, as a ratio to `python -c pass`, measured interleaved in one run.

    python benchmarks/startup.py [--records 1000] [--rounds 25]

Builds a throwaway checkout with invented records, so that neither this project's records nor its cached
index are touched. Exits with 1 when a ratio is above its aim.
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
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
AIMS = {"gotchas --version": 4.0, "gotchas search": 8.0}
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


def write_checkout(base: Path, count: int) -> None:
    """A checkout with this package's source and `count` invented records of usual length."""
    shutil.copytree(PROJECT / "src", base / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PROJECT / "schema", base / "schema")
    (base / "pyproject.toml").touch()
    chance = random.Random(0)
    vocabulary = [f"{chance.choice('bcdfgklmnprstvz')}{chance.choice('aeiou')}{n:x}word" for n in range(6000)]

    def text(words: int) -> str:
        return " ".join(chance.choices(vocabulary, k=words))

    for number in range(count):
        folder = base / "gotchas" / f"invented-{number:04}"
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
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "gotchas --version": [*gotchas, "--version"],
        "gotchas search": [*gotchas, "search", SEARCHED],
    }
    with tempfile.TemporaryDirectory() as folder:
        write_checkout(Path(folder), chosen.records)
        environment = {**os.environ, "PYTHONPATH": str(Path(folder) / "src")}
        for command in commands.values():  # builds the index and byte-compiles
            seconds(command, environment)
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(chosen.rounds):
            for name, command in commands.items():
                taken[name].append(seconds(command, environment))
    base = statistics.median(taken["python -c pass"])
    rows = [
        {"name": name, "ratio": round(statistics.median(taken[name]) / base, 2), "aim": aim}
        for name, aim in AIMS.items()
    ]
    print(json.dumps({"records": chosen.records, "rounds": chosen.rounds, "rows": rows}, indent=2))
    return int(any(row["ratio"] > row["aim"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())

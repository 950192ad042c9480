"""How fast a log is scanned for 300 signatures, as a ratio to one `re` alternation of them, in one run.

    python -m benchmarks.scan [--megabytes 200] [--rounds 3] [--update]

Signatures are error lines of the reports in tests/corpus, their numbers made holes. Logs are invented, with
some failures in them: ordinary lines of a server, and lines of which no two are alike. `re` is timed on the
first part of a log, as it takes so long. ripgrep is timed too where it is installed, with the longest literal
of each signature.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.corpus import reports
from tests.corpus.noise import healthy_lines

from gpu_gotchas import __version__
from gpu_gotchas.records.model import Basis, Candidate, Signature
from gpu_gotchas.records.templates import Template
from gpu_gotchas.search.build import index_of
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.normalise import clean
from gpu_gotchas.search.prefixes import unwrap
from gpu_gotchas.search.scan import Scanner

COUNT = 300
AIM = 10.0
RESULTS = Path(__file__).parent / "results" / "scan.json"
_ALTERNATION_PART = 1 / 20
_NUMBER = re.compile(r"\d+")
_FAILURE_EVERY = 20_000
_CHUNK = 1 << 16

Lines = Callable[[int, random.Random], str]


def templates() -> list[str]:
    """300 distinct line templates, the longest line of each report."""
    found: dict[str, None] = {}
    for report in reports():
        lines = [unwrap(clean(line)).text for line in report.error_text.splitlines()]
        line = max((line for line in lines if not line.startswith("File ")), key=len, default="")[:160]
        if len(line) >= 20:
            found[_NUMBER.sub("{int}", line.replace("{", "{{").replace("}", "}}"))] = None
    texts = [text for text in found if max(map(len, Template.parse(text).literals)) >= 12]
    return texts[:COUNT]


def index_for(texts: list[str]) -> Index:
    return Index(index_of([], [_candidate(number, text) for number, text in enumerate(texts)]))


def _candidate(number: int, text: str) -> Candidate:
    signature = Signature(lines=(text,), basis=Basis.REPORTED, basis_url="https://example.org", context=())
    prose = {"title": "t", "symptom": "s", "believed": "b", "because": "b", "repro_wanted": "r"}
    return Candidate(
        id=f"line-{number:03}",
        **prose,
        concepts=("c",),
        aliases=(),
        signatures=(signature,),
        affects=(),
        reports=(),
        reporter_count=0,
        claimed=None,
        path=Path("none"),
    )


def varied_lines(count: int, chance: random.Random) -> str:
    """Lines of which no two have the same words, as a server that logs its prompts writes."""
    letters = "".join(chance.choices("bcdfghjklmnpqrstvwxzaeiou", k=50_000))

    def prompt() -> str:
        return " ".join(letters[at : at + 7] for at in chance.choices(range(49_000), k=12))

    return "".join(
        f"INFO 07-02 18:00:{number % 60:02} [logger.py:43] Received request "
        f"chatcmpl-{chance.randrange(1 << 64):x}: prompt: '{prompt()}'\n"
        for number in range(count)
    )


def write_log(
    path: Path, megabytes: int, texts: list[str], lines: Callable[[int, random.Random], str]
) -> int:
    """Returns how many failures it holds."""
    chance = random.Random(0)
    failures = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        while file.tell() < megabytes << 20:
            block = lines(_FAILURE_EVERY, chance)
            line = chance.choice(texts).replace("{int}", str(chance.randint(1, 9)))
            file.write(
                block + f"ERROR 07-02 18:00:00 [core.py:7] {line.replace('{{', '{').replace('}}', '}')}\n"
            )
            failures += 1
    return failures


def scan(path: Path, index: Index) -> int:
    scanner = Scanner(index)
    for chunk in _chunks(path):
        scanner.feed(chunk)
    scanner.finish()
    return sum(found.met for found in scanner.findings())


def alternation(path: Path, texts: list[str], size: int) -> int:
    parts = [
        rb"\d+".join(re.escape(part.encode()) for part in Template.parse(text).literals) for text in texts
    ]
    pattern = re.compile(b"|".join(parts))
    with path.open("rb") as file:
        return len(pattern.findall(file.read(size)))


def ripgrep(path: Path, literals: Path) -> int:
    done = subprocess.run(
        ["rg", "-j1", "-F", "-c", "-f", str(literals), str(path)], check=True, capture_output=True, text=True
    )
    return int(done.stdout)


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def best_of(rounds: int, work: Callable[[], int]) -> tuple[float, int]:
    """The least time of several runs, and what they returned."""
    taken, result = [], 0
    for _ in range(rounds):
        start = time.perf_counter()
        result = work()
        taken.append(time.perf_counter() - start)
    return min(taken), result


def measure(megabytes: int, rounds: int) -> dict[str, Any]:
    texts = templates()
    index = index_for(texts)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, lines in (("ordinary lines", healthy_lines), ("no two lines alike", varied_lines)):
            log = Path(folder, "server.log")
            planted = write_log(log, megabytes, texts, lines)
            rows += _rows(kind, log, planted, texts, index, rounds)
    versions = {"gpu-gotchas": __version__, "python": platform.python_version()}
    return {"card": None, "date": datetime.now(UTC).date().isoformat(), "versions": versions, "rows": rows}


def _rows(
    kind: str, log: Path, planted: int, texts: list[str], index: Index, rounds: int
) -> list[dict[str, Any]]:
    size = log.stat().st_size
    part = int(size * _ALTERNATION_PART)
    scan(log, index)  # the file is in the page cache from here on
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ours, found = best_of(rounds, lambda: scan(log, index))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    theirs, _ = best_of(1, lambda: alternation(log, texts, part))
    speed, slow = size / ours, part / theirs
    rows: list[dict[str, Any]] = [
        {
            "name": f"gotchas scan, {kind}",
            "against": f"one re alternation of {len(texts)} signatures",
            "ratio": round(speed / slow, 1),
            "aim": AIM,
            "shape": f"{size >> 20} MiB, {planted} failures planted, {found} found",
            "megabytes_per_second": round(speed / 1e6, 1),
            "grown_kib": grown,
        }
    ]
    if shutil.which("rg"):
        literals = log.with_name("literals")
        literals.write_text("\n".join(max(Template.parse(text).literals, key=len) for text in texts), "utf-8")
        taken, _ = best_of(rounds, lambda: ripgrep(log, literals))
        rows.append(
            {
                "name": f"gotchas scan, {kind}",
                "against": "ripgrep -F, one thread, the same literals",
                "ratio": round(taken / ours, 3),
                "shape": f"{size >> 20} MiB",
                "megabytes_per_second": round(size / taken / 1e6, 1),
            }
        )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--update", action="store_true")
    chosen = parser.parse_args()
    found = measure(chosen.megabytes, chosen.rounds)
    text = json.dumps(found, indent=1) + os.linesep
    print(text, end="")
    if chosen.update:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(text, "utf-8")
    return int(any(row["ratio"] < row.get("aim", 0) for row in found["rows"]))


if __name__ == "__main__":
    sys.exit(main())

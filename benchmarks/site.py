"""What the site of a thousand records weighs, and how long it takes to build.

`python -m benchmarks.site [RECORDS]` multiplies the shipped records, each copy with a name and a concept of
its own, writes the pages, runs mkdocs, and prints processor seconds, bytes and the median page beside the
same of the shipped records. `--update` writes benchmarks/results/site.json.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpu_gotchas.site.build import files, read_written, write
from gpu_gotchas.site.knowledge import Entry, Knowledge, gather

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "site.json"
AIMS = {"processor_seconds": 40, "megabytes": 30, "median_page_kilobytes": 20}


def many(known: Knowledge, wanted: int) -> Knowledge:
    """The records again and again. Copies differ in name, title and one concept, as records do."""
    copies = [
        _copy(entry, turn) for turn in range(-(-wanted // len(known.entries))) for entry in known.entries
    ]
    return replace(known, entries=tuple(sorted(copies[:wanted], key=lambda entry: entry.gotcha.id)))


def _copy(entry: Entry, turn: int) -> Entry:
    if not turn:
        return entry
    gotcha = entry.gotcha
    return replace(
        entry,
        gotcha=replace(
            gotcha,
            id=f"{gotcha.id}-{turn}",
            title=f"{gotcha.title} ({turn})",
            aliases=(),
            concepts=(*gotcha.concepts[:-1], f"{gotcha.concepts[-1]}-{turn % 20}"),
        ),
    )


def _spent() -> float:
    """Seconds of processor time of this process and its children: what a build costs on an idle machine."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measure(known: Knowledge) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        began = _spent()
        write(folder / "build" / "docs", files(known, read_written(ROOT / "docs")))
        written = _spent()
        shutil.copy(ROOT / "mkdocs.yml", folder)
        shutil.copytree(ROOT / "overrides", folder / "overrides")
        subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"],
            cwd=folder, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        )  # fmt: skip
        ended = _spent()
        site = folder / "build" / "site"
        sizes = {path.relative_to(site): path.stat().st_size for path in site.rglob("*") if path.is_file()}
    pages = [size for path, size in sizes.items() if path.match("gotchas/*/index.html") and size > 2_000]
    parts: dict[str, int] = {}
    for path, size in sizes.items():
        parts[path.parts[0]] = parts.get(path.parts[0], 0) + size
    return {
        "records": len(known.entries),
        "processor_seconds": round(ended - began, 1),
        "of_which_ours": round(written - began, 1),
        "megabytes": round(sum(sizes.values()) / 1e6, 1),
        "median_page_kilobytes": round(statistics.median(pages) / 1e3, 1),
        "largest_parts": {
            name: round(size / 1e6, 2) for name, size in sorted(parts.items(), key=lambda one: -one[1])[:8]
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="?", type=int, default=1000)
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    known = gather()
    few, found = measure(known), measure(many(known, given.records))
    said = {"date": known.generated, "aims": AIMS, "shipped": few, "synthetic": found}
    print(json.dumps(said, indent=1))
    if given.update:
        RESULTS.write_text(json.dumps(said, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

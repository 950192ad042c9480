"""What the site of a thousand records weighs, and how long it takes to build.

`python -m benchmarks.site [RECORDS]` multiplies the shipped records, each copy with a name and a concept of
its own, writes the pages, runs mkdocs, and prints bytes, the median page and processor seconds beside those
of the shipped records. `--update` writes benchmarks/results/site.json; tests/site/test_budgets.py holds the
bytes of such a build against the aims.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.site.building import build

from gpu_gotchas.records.loading import load_heard
from gpu_gotchas.search.build import index_of
from gpu_gotchas.site.knowledge import Entry, Knowledge, gather

RESULTS = Path(__file__).resolve().parent / "results" / "site.json"
AIMS = {"processor_seconds": 40, "megabytes": 30, "median_page_kilobytes": 20}


def many(known: Knowledge, wanted: int) -> Knowledge:
    """The records again and again, with their index. Copies differ in name, title and one concept."""
    copies = [
        _copy(entry, turn) for turn in range(-(-wanted // len(known.entries))) for entry in known.entries
    ]
    entries = tuple(sorted(copies[:wanted], key=lambda entry: entry.gotcha.id))
    index = index_of([entry.gotcha for entry in entries], known.candidates, load_heard())
    return replace(known, entries=entries, index=index)


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


def weigh(site: Path, known: Knowledge) -> dict[str, Any]:
    """Bytes as they are served, nothing compressed. site: what mkdocs built of `known`."""
    sizes = {path.relative_to(site): path.stat().st_size for path in site.rglob("*") if path.is_file()}
    pages = [sizes[Path("gotchas", entry.gotcha.id, "index.html")] for entry in known.entries]
    parts: dict[str, int] = {}
    for path, size in sizes.items():
        kind = "".join(path.suffixes) if path.parts[0] == "gotchas" else ""
        name = f"{path.parts[0]} {kind}".strip()
        parts[name] = parts.get(name, 0) + size
    return {
        "megabytes": round(sum(sizes.values()) / 1e6, 1),
        "median_page_kilobytes": round(statistics.median(pages) / 1e3, 1),
        "largest_parts": {
            name: round(size / 1e6, 2) for name, size in sorted(parts.items(), key=lambda one: -one[1])[:10]
        },
    }


def measure(known: Knowledge) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        began = _spent()
        site = build(Path(folder), known)
        seconds = round(_spent() - began, 1)
        return {"records": len(known.entries), "processor_seconds": seconds, **weigh(site, known)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="?", type=int, default=1000)
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    known = gather()
    few, found = measure(known), measure(many(known, given.records))
    times = round(found["processor_seconds"] / few["processor_seconds"], 2)
    said = {
        "date": known.generated,
        "aims": AIMS,
        "shipped": few,
        "synthetic": {**found, "seconds_by_those_of_shipped": times},
    }
    print(json.dumps(said, indent=1))
    if given.update:
        RESULTS.write_text(json.dumps(said, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

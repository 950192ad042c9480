"""How fast the start page's box answers at a thousand records, in Chromium, beside Python on the same texts.

`python -m benchmarks.browser_search [RECORDS]` makes an index of as many records as asked for, copies of the
shipped ones and of the candidates with other words in them, and asks it about 100 KB and 1 MB of log with a
failure at the end. It prints milliseconds of the fastest of some rounds. `--update` writes
benchmarks/results/browser_search.json.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.corpus import BUILD, part
from tests.corpus.noise import healthy_lines
from tests.site.browser import opened

from gpu_gotchas.records.loading import load_all, load_candidates
from gpu_gotchas.records.model import Candidate
from gpu_gotchas.search.build import index_of
from gpu_gotchas.search.engine import Search
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.lines import lines_of
from gpu_gotchas.site.feeds.browser_search import search_json

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "browser_search.json"
AIMS = {"100 KB": 100, "1 MB": 1000}
ROUNDS = 9
_ASK = """async ([text, rounds]) => {
  const { Engine } = await import(new URL("javascripts/search/engine.js", location));
  const engine = new Engine(await (await fetch("search.json")).json());
  const took = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    engine.answer(text);
    took.push(performance.now() - began);
  }
  return took;
}"""


def candidates(wanted: int) -> list[Candidate]:
    """Copies differ in id, title and every signature, as candidates do."""
    known = load_candidates()
    found = []
    for number in range(wanted):
        one, turn = known[number % len(known)], number // len(known)
        signatures = tuple(
            replace(each, lines=tuple(f"{line} v{turn}" if turn else line for line in each.lines))
            for each in one.signatures
        )
        found.append(
            replace(
                one, id=f"{one.id}-{turn}", title=f"{one.title} {turn}", aliases=(), signatures=signatures
            )
        )
    return found


def log(size: int) -> str:
    """Ordinary lines of a server, then a report's failure."""
    chance = random.Random(8)
    report = part(BUILD)[0].error_text
    lines = ""
    while len(lines) + len(report) < size:
        lines += healthy_lines(100, chance)
    return lines + report


def measure(records: int) -> dict[str, Any]:
    gotchas = load_all()
    data = index_of(gotchas, candidates(records - len(gotchas)))
    index = Index(data)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "javascripts").symlink_to(ROOT / "docs" / "javascripts")
        (folder / "index.html").write_text("<!doctype html><title>x</title>")
        (folder / "search.json").write_text(search_json(data), "utf-8")
        with opened(folder) as browser, browser.visit() as visit:
            for label, size in (("100 KB", 100_000), ("1 MB", 1_000_000)):
                text = log(size)
                took = min(visit.page.evaluate(_ASK, [text, ROUNDS]))
                rows.append(
                    {
                        "name": label,
                        "milliseconds": round(took, 1),
                        "aim": AIMS[label],
                        "python_milliseconds": round(_python(index, text), 1),
                    }
                )
        size = (folder / "search.json").stat().st_size
    return {"records": len(index.ids), "index_megabytes": round(size / 1e6, 2), "rows": rows}


def _python(index: Index, text: str) -> float:
    took = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        run = Search(index)
        run.feed(lines_of([text.encode()]))
        run.answer()
        took.append(time.perf_counter() - began)
    return 1e3 * min(took)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="?", type=int, default=1000)
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    said = measure(given.records)
    print(json.dumps(said, indent=1))
    if given.update:
        RESULTS.write_text(json.dumps(said, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

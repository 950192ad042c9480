"""How well search finds what a text is about, next to plain ways to search the same records.

    python -m benchmarks.search [--part measure|build] [--quick] [--confusions] [--update]

Texts are the reports of tests/corpus: those of the parts `measure` and `fresh` (which came later) were not
looked at while records, candidates and search were made, those of `build` were. --quick leaves noise and
baselines out, --update keeps the numbers in benchmarks/results/search.json, against which a test holds later
ones.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.search_baselines import BASELINES, Bm25, texts_of, with_reports
from benchmarks.search_left_out import left_out
from benchmarks.search_measure import (
    Case,
    Outcome,
    Share,
    ask_baseline,
    cases,
    confusions,
    false_alarms,
    known,
    search_all,
)
from tests.corpus import (
    BUILD,
    FRESH,
    MEASURE,
    NEGATIVE,
    UNKNOWN,
    HealthyLog,
    Report,
    causes,
    healthy_logs,
    part,
    reports,
)
from tests.corpus.noise import KINDS

from gpu_gotchas import __version__
from gpu_gotchas.records.loading import load_all, load_candidates, load_heard
from gpu_gotchas.search.build import index_of
from gpu_gotchas.search.index import Index

RESULTS = Path(__file__).parent / "results" / "search.json"
AIMS = {
    "known: recall at 1": 0.92,
    "known: precision of this is it": 0.99,
    "known: wrong this is it": 0.01,
    "fresh: recall at 1": 0.92,
    "fresh: precision of this is it": 0.99,
    "fresh: wrong this is it": 0.01,
    "healthy, captured or rendered: named at all": 0.0,
    "healthy, invented: named at all": 0.0,
}

Rows = dict[str, Share]


def main_rows(index: Index, asked: Sequence[Case]) -> tuple[Rows, list[Outcome]]:
    """The numbers without noise. asked: texts whose gotcha is in the base."""
    outcomes = search_all(index, asked)
    rows = _named("known", known(outcomes))
    told = known(search_all(index, [_with_machine(case) for case in asked]))
    rows |= _named("known, with what the report says of card and versions", told)
    rows |= _named("fresh", known(search_all(index, asked_of(FRESH))))
    for title, texts in strangers().items():
        rows |= _named(title, false_alarms(search_all(index, texts)))
    return rows, outcomes


def strangers() -> dict[str, list[Case]]:
    """Texts with nothing to be found, by what they are."""
    logs = healthy_logs()
    real = [log for log in logs if log.origin != "invented"]
    return {
        "cause not in the base": cases(part(UNKNOWN), {}),
        "no gotcha": cases(part(NEGATIVE), {}),
        "healthy, captured or rendered": _healthy(real),
        "healthy, invented": _healthy([log for log in logs if log.origin == "invented"]),
    }


def asked_of(name: str, kind: str = "clean") -> list[Case]:
    """The reports of a part whose cause is in the base."""
    return [case for case in cases(part(name), causes(), kind) if case.expected]


def _with_machine(case: Case) -> Case:
    """The text below a line with the card and the versions that the report names elsewhere."""
    report = next(report for report in reports() if report.id == case.name)
    return replace(case, text=f"{_machine_of(report)}\n".encode() + case.text)


def _machine_of(report: Report) -> str:
    hardware = report.hardware or {}
    capability = hardware.get("compute_capability") or ""
    if capability[:1].isdigit():
        capability = f"compute capability {capability}"
    return ", ".join(filter(None, (hardware.get("gpu"), capability, report.software)))


def _healthy(logs: Iterable[HealthyLog]) -> list[Case]:
    return [Case(log.name, "healthy", "clean", log.text.encode(), None) for log in logs]


def _named(title: str, rows: Mapping[str, Share]) -> Rows:
    return {f"{title}: {name}": share for name, share in rows.items()}


def noise_rows(index: Index, name: str) -> Rows:
    rows: Rows = {}
    for kind in KINDS:
        measured = known(search_all(index, asked_of(name, kind)))
        for wanted in ("recall at 1", "wrong this is it"):
            rows[f"noise {kind}: {wanted}"] = measured[wanted]
    return rows


def family_rows(outcomes: Iterable[Outcome]) -> Rows:
    by_family: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_family[outcome.case.family].append(outcome)
    return {
        f"family {family}: recall at 1": known(found)["recall at 1"]
        for family, found in sorted(by_family.items())
    }


def baseline_rows(asked: Sequence[Case], title: str, baselines: Mapping[str, Any]) -> Rows:
    """Plain ways to search the same texts: what records say, and the reports that were built on."""
    records = texts_of([*load_all(), *load_candidates()])
    texts = with_reports(records, load_heard())
    found = {name: ask_baseline(make(texts), asked) for name, make in baselines.items()}
    found["bm25 over records alone"] = ask_baseline(Bm25(records), asked)
    heard = with_reports(dict.fromkeys(records, ""), load_heard())
    found["bm25 over reports alone"] = ask_baseline(Bm25(heard), asked)
    return {
        f"{title} {name}: {wanted}": known(outcomes)[wanted]
        for name, outcomes in found.items()
        for wanted in ("recall at 1", "recall at 3")
    }


def fresh_index() -> Index:
    return Index(index_of(load_all(), load_candidates(), load_heard()))


def kept_rows() -> dict[str, dict[str, float]]:
    """The committed numbers, by name."""
    return {row["name"]: row for row in json.loads(RESULTS.read_text("utf-8"))["rows"]}


def _write(rows: Rows, name: str, confused: Sequence[tuple[str, str, int]]) -> None:
    told = []
    for title, share in rows.items():
        low, high = share.interval
        row = {"name": title, "value": round(share.value, 4), "count": share.count, "of": share.of}
        row |= {"low": round(low, 4), "high": round(high, 4)}
        if title in AIMS:
            row["aim"] = AIMS[title]
        told.append(row)
    RESULTS.parent.mkdir(exist_ok=True)
    document = {
        "card": None,
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {"gpu-gotchas": __version__},
        "part": name,
        "rows": told,
        "confused": [{"is": is_, "named": named, "count": count} for is_, named, count in confused],
    }
    RESULTS.write_text(json.dumps(document, indent=1) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--part", choices=(MEASURE, BUILD), default=MEASURE)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--confusions", action="store_true")
    parser.add_argument("--update", action="store_true")
    chosen = parser.parse_args()
    index = fresh_index()
    asked = asked_of(chosen.part)
    rows, outcomes = main_rows(index, asked)
    if not chosen.quick:
        rows |= baseline_rows(asked, "baseline", BASELINES)
        rows |= baseline_rows(asked_of(FRESH), "fresh, baseline", {"bm25": Bm25})  # the others take long
        rows |= noise_rows(index, chosen.part) | family_rows(outcomes)
    apart, plain = ([], []) if chosen.quick else left_out()
    if apart:
        rows |= _named("build, each report left out", known(apart))
        by_bm25 = known(plain)
        rows |= {
            f"build, each report left out, baseline bm25: {name}": by_bm25[name]
            for name in ("recall at 1", "recall at 3")
        }
    for title, share in rows.items():
        aim = f"  aim {AIMS[title]}" if title in AIMS else ""
        print(f"{title:<58} {share}{aim}")
    if chosen.confusions:
        print("\nwhat it is, what was named first instead, how often")
        for is_, named, count in confusions([*outcomes, *apart]):
            print(f"  {is_}  {named}  {count}")
    if chosen.update:
        _write(rows, chosen.part, confusions(apart))


if __name__ == "__main__":
    main()

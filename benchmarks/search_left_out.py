"""Each report that was built on, searched in an index that was built without it.

Of a cause with several reports one at a time is left out: its text, and the signature that was taken from it.
What records say in words was written with the report at hand, so this flatters; it is for choosing between
ways to rank, and for seeing which causes are taken for one another, without a look at what is only
measured on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from benchmarks.search_measure import Outcome, cases, search_all
from tests.corpus import BUILD, Report, causes, part
from tests.corpus.heard import heard

from gpu_gotchas.records.loading import load_all, load_candidates
from gpu_gotchas.records.model import Candidate
from gpu_gotchas.search.build import index_of
from gpu_gotchas.search.index import Index


def left_out() -> list[Outcome]:
    """One outcome for each report of a gotcha that has several."""
    gotchas, candidates, where = load_all(), load_candidates(), causes()
    reports = [report for report in part(BUILD) if report.cause in where]
    of = Counter(where[str(report.cause)] for report in reports)
    outcomes = []
    for asked in reports:
        if of[where[str(asked.cause)]] > 1:
            others = [report for report in reports if report.id != asked.id]
            without = [_without(candidate, asked) for candidate in candidates]
            index = Index(index_of(gotchas, without, heard(others)))
            outcomes += search_all(index, cases([asked], where))
    return outcomes


def _without(candidate: Candidate, report: Report) -> Candidate:
    kept = tuple(one for one in candidate.signatures if one.basis_url != report.url or report.url is None)
    return replace(candidate, signatures=kept)

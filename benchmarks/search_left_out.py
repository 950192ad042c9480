"""Each report that was built on, searched in an index that was made as if nobody had read it.

Of a gotcha with several reports one at a time is left out: its text, the signatures that were taken from it
or that it alone meets, and the telling words that only its text and what was written of the gotcha share. On
plain BM25 this comes out as on the reports that nobody built on, which leaving out the text alone does not:
records and candidates were written with the report at hand. It is for choosing between ways to rank, and for
seeing which causes are taken for one another, without a look at what is only measured on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from benchmarks.search_baselines import Bm25, texts_of, with_reports
from benchmarks.search_measure import Outcome, ask_baseline, cases, search_all
from tests.corpus import BUILD, Report, causes, part
from tests.corpus.heard import heard

from gpu_gotchas.records.loading import load_all, load_candidates
from gpu_gotchas.records.model import Basis, Candidate, Gotcha, Signature
from gpu_gotchas.records.templates import match_signature
from gpu_gotchas.search.build import index_of
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.normalise import clean
from gpu_gotchas.search.words import is_common, words

_RUN = re.compile(r"[A-Za-z0-9_.+-]+")


def left_out() -> tuple[list[Outcome], list[Outcome]]:
    """What search says, and what plain BM25 over the same texts: an outcome for each report of a gotcha that
    has several. The first of each gotcha are left out at once, then the second, so that indexes are few."""
    entries, where = [*load_all(), *load_candidates()], causes()
    of: dict[str, list[Report]] = defaultdict(list)
    for report in part(BUILD):
        if report.cause in where:
            of[where[report.cause]].append(report)
    several = {name: about for name, about in of.items() if len(about) > 1}
    ours: list[Outcome] = []
    plain: list[Outcome] = []
    for turn in range(max(map(len, several.values()), default=0)):
        asked = {name: about[turn] for name, about in several.items() if turn < len(about)}
        known = [unread(one, asked[one.id], several[one.id]) if one.id in asked else one for one in entries]
        gotchas = [entry for entry in known if isinstance(entry, Gotcha)]
        candidates = [entry for entry in known if isinstance(entry, Candidate)]
        rest = [report for about in of.values() for report in about if report not in asked.values()]
        told, texts = heard(rest), cases(asked.values(), where)
        ours += search_all(Index(index_of(gotchas, candidates, told)), texts)
        plain += ask_baseline(Bm25(with_reports(texts_of(known), told)), texts)
    return ours, plain


def unread(entry: Gotcha | Candidate, asked: Report, about: Sequence[Report]) -> Gotcha | Candidate:
    """The entry as it may stand where nobody has read `asked`. about: all reports of it."""
    others = [report for report in about if report is not asked]
    gone = _words(asked) - {word for other in others for word in _words(other)}
    if isinstance(entry, Candidate):
        kept = _kept(entry.signatures, asked, others)
        prose = ("title", "symptom", "believed", "because")
        return replace(entry, signatures=kept, asked_as=_asked(entry, gone), **_without(entry, prose, gone))
    symptom = replace(
        entry.symptom,
        signatures=_kept(entry.symptom.signatures, asked, others),
        **_without(entry.symptom, ("summary",), gone),
    )
    prose = ("title", "root_cause")
    return replace(entry, symptom=symptom, asked_as=_asked(entry, gone), **_without(entry, prose, gone))


def _kept(signatures: Sequence[Signature], asked: Report, others: Sequence[Report]) -> tuple[Signature, ...]:
    """Those that were not taken from the report, and that something else meets, or nothing."""
    return tuple(
        signature
        for signature in signatures
        if signature.basis is Basis.PROVEN
        or (
            (signature.basis_url != asked.url or asked.url is None)
            and (not _meets(asked, signature) or any(_meets(other, signature) for other in others))
        )
    )


def _meets(report: Report, signature: Signature) -> bool:
    return match_signature(signature, [clean(line) for line in report.error_text.splitlines()]) is not None


def _words(report: Report) -> set[str]:
    found = {word for line in report.error_text.splitlines() for word in words(line)}
    return {word for word in found if not is_common(word)}


def _without(entry: Any, fields: Sequence[str], gone: set[str]) -> dict[str, str]:
    return {name: _but(getattr(entry, name), gone) for name in fields}


def _asked(entry: Gotcha | Candidate, gone: set[str]) -> tuple[str, ...]:
    return tuple(_but(phrase, gone) for phrase in entry.asked_as)


def _but(text: str, gone: set[str]) -> str:
    return _RUN.sub(lambda run: "" if gone.intersection(words(run[0])) else run[0], text)

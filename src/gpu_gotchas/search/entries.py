"""What the index keeps of a record or candidate, for an answer to say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gpu_gotchas.records.model import (
    Basis,
    Candidate,
    Case,
    Gotcha,
    Observable,
    Signature,
    Status,
    Workaround,
)
from gpu_gotchas.records.settings import settings
from gpu_gotchas.records.templates import Template
from gpu_gotchas.search.raw import raw_case
from gpu_gotchas.search.words import is_common, words

CANDIDATE = "candidate"
_MOST_SHOWN = 240
_SENTENCE = 5
_MOST_REPORTS = 2
_HELPED = (
    r"\b(?:cure[sd]?|help(?:s|ed)|(?:went|goes|gone) away|avoid(?:s|ed)? (?:it|this|them|the)"
    r"|fixe[sd] (?:it|in|by)|work(?:s|ed)? around|(?:re)?solve[sd]"
    r"|(?:it|which|and) works (?:with|after|again|when|once)|worked(?! out))\b"
)
_HELPED_NOT = (
    r"(?i)\b(?:not|no|nothing|nobody|never|neither|none|cannot|unclear|unresolved|should|would)\b|n't\b"
)

# How firmly a word in each place speaks for its record.


def gotcha_entry(gotcha: Gotcha) -> dict[str, Any]:
    """A record as plain data."""
    ways = [_way(one) for one in gotcha.workaround]
    return {
        "id": gotcha.id,
        "title": gotcha.title,
        "status": gotcha.status.value,
        "severity": gotcha.severity.value,
        "kind": gotcha.kind.value,
        "added": gotcha.added,
        "concepts": list(gotcha.concepts),
        "aliases": list(gotcha.aliases),
        "summary": gotcha.symptom.summary,
        "do": ways[0] if ways else None,
        "otherwise": ways[1:],
        "signatures": [_signature(signature, gotcha.affects) for signature in _signatures(gotcha)],
        "affects": [raw_case(case) for case in gotcha.affects],
        "reporters": gotcha.reporter_count,
        "siblings": {sibling.id: sibling.tell_apart for sibling in gotcha.siblings},
        "measured": _measured(gotcha.symptom.observable),
        "believed": None,
        "helped": None,
        "wanted": None,
        "reports": [],
        "withdrawn": _withdrawal(gotcha),
    }


def candidate_entry(candidate: Candidate) -> dict[str, Any]:
    """A candidate as plain data, with the same keys."""
    return {
        "id": candidate.id,
        "title": candidate.title,
        "status": CANDIDATE,
        "severity": None,
        "kind": None,
        "added": None,
        "concepts": list(candidate.concepts),
        "aliases": list(candidate.aliases),
        "summary": candidate.symptom,
        "do": None,
        "otherwise": [],
        "signatures": [_signature(signature, candidate.affects) for signature in candidate.signatures],
        "affects": [raw_case(case) for case in candidate.affects],
        "reporters": candidate.reporter_count,
        "siblings": {},
        "measured": None,
        "believed": _first_sentences(candidate.believed),
        "helped": _what_helped(candidate),
        "wanted": _first_sentences(candidate.repro_wanted),
        "reports": _some_reports(candidate),
        "withdrawn": None,
    }


def _way(workaround: Workaround) -> str:
    return workaround.do + (f" Costs: {workaround.costs}" if workaround.costs else "")


def _what_helped(candidate: Candidate) -> str | None:
    """The first sentence of a candidate's prose that says what people did about it."""
    sentences = (one for text in (candidate.believed, candidate.because) for one in _sentences(text))
    return next(
        (_cut(one) for one in sentences if re.search(_HELPED, one) and not re.search(_HELPED_NOT, one)), None
    )


def _some_reports(candidate: Candidate) -> list[str]:
    """Where to read of it: the latest reports of people who have it."""
    told = [report for report in candidate.reports if report.says == "reproduces"]
    latest = sorted(told, key=lambda report: report.date, reverse=True)
    return [report.url for report in latest[:_MOST_REPORTS]]


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+", " ".join(text.split()))


def _cut(text: str) -> str:
    return text if len(text) <= 2 * _MOST_SHOWN else text[: 2 * _MOST_SHOWN] + " …"


def _first_sentences(text: str) -> str:
    """As much of a candidate's prose as an answer shows."""
    shown = ""
    for sentence in _sentences(text):
        if shown and len(shown) + len(sentence) >= _MOST_SHOWN:
            break
        shown = f"{shown} {sentence}".strip()
    return _cut(shown)


def _measured(observable: Observable | None) -> str | None:
    """What has to be measured, where the failure prints no error."""
    return f"{observable.quantity} {observable.bad}" if observable else None


def _withdrawal(gotcha: Gotcha) -> dict[str, str | None] | None:
    if not gotcha.status.withdrawn:
        return None
    because = gotcha.history[-1].why if gotcha.history else "The record does not say why."
    return {"because": because, "successor": gotcha.successor}


def _signatures(gotcha: Gotcha) -> Sequence[Signature]:
    """A draft has no proof yet, whatever it says of its signatures."""
    told = gotcha.symptom.signatures
    return [replace(one, basis=Basis.REPORTED) for one in told] if gotcha.status is Status.DRAFT else told


def _signature(signature: Signature, affects: Sequence[Case]) -> dict[str, Any]:
    texts = [text for line in signature.lines for text in Template.parse(line).literals]
    return {
        "lines": list(signature.lines),
        "context": list(signature.context),
        "conditions": [at for at, text in enumerate(signature.context) if text in _conditions(affects)],
        "basis": signature.basis.value,
        "basis_url": signature.basis_url if signature.basis is Basis.REPORTED else None,
        "length": sum(len(text) for text in texts),
        "generic": _is_generic(texts, bool(signature.context)),
    }


def _is_generic(texts: Sequence[str], wants_context: bool) -> bool:
    """Whether any log may hold these words: all are common, and too few to be a sentence of one program."""
    held = [word for text in texts for word in words(text)]
    return all(map(is_common, held)) and (wants_context or len(held) < _SENTENCE)


def _conditions(affects: Sequence[Case]) -> set[str]:
    """Names and values of settings: they say under what it fails, and not where."""
    found: set[str] = set()
    for case in affects:
        for name, values in case.when.items():
            found.update((name, *values))
            known = settings().get(name)
            if known:
                found.update(filter(None, (known.flag, known.variable)))
    return found

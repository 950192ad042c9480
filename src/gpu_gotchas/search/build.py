"""Records and candidates to the one document that searching reads. No other part of search loads records."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gpu_gotchas import __version__
from gpu_gotchas.hardware.catalogue import find_gpu
from gpu_gotchas.records.heard import Heard
from gpu_gotchas.records.loading import load_all, load_candidates, load_heard
from gpu_gotchas.records.model import (
    Basis,
    Candidate,
    Case,
    Gotcha,
    Observable,
    Report,
    Signature,
    Status,
    Workaround,
)
from gpu_gotchas.records.setting import Setting, ValueKind
from gpu_gotchas.records.settings import settings
from gpu_gotchas.records.templates import Template
from gpu_gotchas.search.boilerplate import without_boilerplate
from gpu_gotchas.search.index import Literal, Place, render
from gpu_gotchas.search.likeness import SCALE, direction
from gpu_gotchas.search.normalise import clean
from gpu_gotchas.search.prefixes import unwrap
from gpu_gotchas.search.questions import SHORT, questions
from gpu_gotchas.search.raw import raw_case
from gpu_gotchas.search.words import is_common, terms, words

LICENCES = {"code": "Apache-2.0", "records": "CC0-1.0", "results": "CC0-1.0", "index": "CC0-1.0"}
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
_ID, _CONCEPT, _TITLE, _SIGNATURE, _SUMMARY, _CLAIM, _CAUSE, _ADVICE = 4.0, 4.0, 3.0, 3.0, 1.5, 1.5, 0.7, 0.3
_HEARD, _ASKED = 2.0, 2.0
_SATURATION, _LENGTH_SHARE = 3.0, 0.5
_WEAKEST = 5


def build_index(root: Path | None = None, stamp: str | None = None) -> bytes:
    """The index of all records and candidates below `root`. Raises RecordErrors.

    stamp: what the index was built from, kept so that a later reader can tell whether it is out of date.
    """
    return index_of(load_all(root), load_candidates(root), load_heard(root), stamp)


def index_of(
    gotchas: Sequence[Gotcha],
    candidates: Sequence[Candidate] = (),
    heard: Sequence[Heard] = (),
    stamp: str | None = None,
) -> bytes:
    """The index of these records, and of the reports among `heard` that are about one of them."""
    entries = {gotcha.id: _gotcha_entry(gotcha) for gotcha in gotchas}
    entries.update({candidate.id: _candidate_entry(candidate) for candidate in candidates})
    ids = sorted(entries)
    fields = {gotcha.id: _gotcha_fields(gotcha) for gotcha in gotchas}
    fields.update({candidate.id: _candidate_fields(candidate) for candidate in candidates})
    aliases = {alias: name for name in ids for alias in entries[name]["aliases"]}
    for one in heard:
        fields.get(aliases.get(one.of, one.of), []).append(_heard_field(one))
    reports, vectors = _vectors(heard, {name: at for at, name in enumerate(ids)}, aliases)
    head = {
        "about": "Search index of gpu-gotchas",
        "made_by": f"gpu-gotchas {__version__}",
        "date": _today(),
        "stamp": stamp,
        "licences": LICENCES,
        "ids": ids,
        "aliases": aliases,
        "literals": _literals(ids, entries),
        "reports": reports,
        "settings": _settings([*gotchas, *candidates]),
    }
    return render(head, entries, _postings(ids, fields), vectors)


def _gotcha_entry(gotcha: Gotcha) -> dict[str, Any]:
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


def _candidate_entry(candidate: Candidate) -> dict[str, Any]:
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


def _settings(entries: Sequence[Gotcha | Candidate]) -> dict[str, Any]:
    """How each setting is written that a claim speaks of."""
    names = sorted({name for entry in entries for case in entry.affects for name in case.when})
    return {name: _written(settings()[name]) for name in names if name in settings()}


def _written(setting: Setting) -> dict[str, Any]:
    whole = setting.flag if setting.key else None
    flags = setting.aliases if setting.key else (setting.flag, *setting.aliases)
    return {
        "flags": [flag for flag in flags if flag],
        "key": setting.key,
        "within": _holders(whole) if whole else [],
        "variable": setting.variable,
        "values": ["true", "false"] if setting.kind is ValueKind.BOOLEAN else list(setting.values),
        "open": bool(setting.auto),
        "same": dict(setting.same),
    }


def _holders(flag: str) -> list[str]:
    """How a setting of several keys is called: as a flag, in Python, and as what vLLM prints of itself."""
    name = flag.lstrip("-").replace("-", "_")
    return [flag, name, name.replace("_", " ").title().replace(" ", "") + "("]


def _vectors(
    heard: Sequence[Heard], positions: Mapping[str, int], aliases: Mapping[str, str]
) -> tuple[list[int], dict[str, list[tuple[int, int]]]]:
    """Which record each report is about, and for each term the reports that hold it."""
    known = [one for one in heard if aliases.get(one.of, one.of) in positions]
    told = []
    for one in known:
        lines = [line for line in map(clean, one.text.splitlines()) if line]
        told.append(questions(lines, min(len(lines), SHORT)).questions)
    held = Counter(
        term for asked in told for term in {term for question in asked for term in terms(question.text)}
    )
    vectors: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for report, asked in enumerate(told):
        for term, part in direction(asked, held.__getitem__, len(known)).items():
            if weight := round(SCALE * part):
                vectors[term].append((report, weight))
    return [positions[aliases.get(one.of, one.of)] for one in known], vectors


def _literals(ids: Sequence[str], entries: Mapping[str, Any]) -> dict[str, list[Literal]]:
    """The longest literal of every template with where it belongs, by a word within it."""
    places: dict[str, list[Place]] = defaultdict(list)
    for record, name in enumerate(ids):
        for number, signature in enumerate(entries[name]["signatures"]):
            positions = [
                *enumerate(signature["lines"]),
                *((~position, template) for position, template in enumerate(signature["context"])),
            ]
            for position, template in positions:
                places[Template.parse(template).longest_literal].append((record, number, position))
    keyed: dict[str, list[Literal]] = {}
    for literal, found in sorted(places.items()):
        keyed.setdefault(_key(literal), []).append((literal, found))
    return keyed


def _key(literal: str) -> str:
    """A word that stands between blanks in every line with this literal: the most telling, or ""."""
    inner = literal.split(" ")[1:-1]
    return max(inner, key=lambda word: (not is_common(word.lower()), len(word)), default="")


def _gotcha_fields(gotcha: Gotcha) -> list[tuple[float, str]]:
    claims = [
        " ".join((*case.software, *case.when, *(value for values in case.when.values() for value in values)))
        for case in gotcha.affects
    ]
    return [
        *((_ID, name) for name in (gotcha.id, *gotcha.aliases)),
        *((_CONCEPT, concept) for concept in gotcha.concepts),
        (_TITLE, gotcha.title),
        *_signature_fields(gotcha.symptom.signatures),
        (_SUMMARY, gotcha.symptom.summary),
        (_ASKED, "\n".join(gotcha.asked_as)),
        *((_CLAIM, claim) for claim in claims),
        (_CAUSE, gotcha.root_cause),
        *((_CLAIM, target) for target in _targets(gotcha.reports)),
        *((_ADVICE, workaround.do) for workaround in gotcha.workaround),
    ]


def _candidate_fields(candidate: Candidate) -> list[tuple[float, str]]:
    return [
        *((_ID, name) for name in (candidate.id, *candidate.aliases)),
        *((_CONCEPT, concept) for concept in candidate.concepts),
        (_TITLE, candidate.title),
        *_signature_fields(candidate.signatures),
        (_SUMMARY, candidate.symptom),
        (_ASKED, "\n".join(candidate.asked_as)),
        (_CAUSE, candidate.believed),
        (_ADVICE, candidate.because),
        *((_CLAIM, target) for target in _targets(candidate.reports)),
    ]


def _heard_field(one: Heard) -> tuple[float, str]:
    lines = map(clean, one.text.splitlines())
    return _HEARD, "\n".join(without_boilerplate(unwrap(line).text) for line in lines)


def _targets(reports: Sequence[Report]) -> list[str]:
    """What the cards compute with that reports name."""
    return sorted({find_gpu(card).target.name for report in reports for card in report.on})


def _signature_fields(signatures: Sequence[Signature]) -> list[tuple[float, str]]:
    lines = [line for signature in signatures for line in (*signature.lines, *signature.context)]
    return [(_SIGNATURE, " ".join(Template.parse(line).literals)) for line in lines]


def _postings(
    ids: Sequence[str], fields: Mapping[str, Sequence[tuple[float, str]]]
) -> dict[str, list[tuple[int, int]]]:
    """For each word the records that hold it, each with a strength in percent."""
    weights: list[dict[str, float]] = []
    for name in ids:
        held: dict[str, float] = defaultdict(float)
        for firmness, text in fields[name]:
            for word in {word for line in text.split("\n") for word in words(line)}:
                held[word] += firmness
        weights.append(held)
    average = sum(map(len, weights)) / max(1, len(weights))
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for record, held in enumerate(weights):
        drag = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * len(held) / average) if held else 0
        for word, firmness in held.items():
            strength = round(100 * firmness / (firmness + drag))
            if strength >= _WEAKEST:
                postings[word].append((record, strength))
    return postings


def _today() -> str:
    """The day of the build; SOURCE_DATE_EPOCH, where set, makes builds repeatable."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    return moment.date().isoformat()

"""Which words a record holds, and how firmly each place that they stand in speaks for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from gpu_gotchas.hardware.catalogue import find_gpu
from gpu_gotchas.records.heard import Heard
from gpu_gotchas.records.model import Candidate, Gotcha, Report, Signature
from gpu_gotchas.records.templates import Template
from gpu_gotchas.search.boilerplate import without_boilerplate
from gpu_gotchas.search.normalise import clean
from gpu_gotchas.search.prefixes import unwrap
from gpu_gotchas.search.words import words

# How firmly a word in each place speaks for its record.
_ID, _CONCEPT, _TITLE, _SIGNATURE, _SUMMARY, _CLAIM, _CAUSE, _ADVICE = 4.0, 4.0, 3.0, 3.0, 1.5, 1.5, 0.7, 0.3
_HEARD, _ASKED = 2.0, 2.0
_SATURATION, _LENGTH_SHARE = 3.0, 0.5
_WEAKEST = 5


def gotcha_fields(gotcha: Gotcha) -> list[tuple[float, str]]:
    """What a record says, each text with how firmly it speaks for the record."""
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


def candidate_fields(candidate: Candidate) -> list[tuple[float, str]]:
    """As `gotcha_fields`, of a candidate."""
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


def heard_field(one: Heard) -> tuple[float, str]:
    """As one of `gotcha_fields`: what was printed in a report."""
    lines = map(clean, one.text.splitlines())
    return _HEARD, "\n".join(without_boilerplate(unwrap(line).text) for line in lines)


def _targets(reports: Sequence[Report]) -> list[str]:
    """What the cards compute with that reports name."""
    return sorted({find_gpu(card).target.name for report in reports for card in report.on})


def _signature_fields(signatures: Sequence[Signature]) -> list[tuple[float, str]]:
    lines = [line for signature in signatures for line in (*signature.lines, *signature.context)]
    return [(_SIGNATURE, " ".join(Template.parse(line).literals)) for line in lines]


def postings(
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

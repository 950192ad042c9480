"""Records and candidates to the one document that searching reads. No other part of search loads records."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gpu_gotchas import __version__
from gpu_gotchas.records.heard import Heard
from gpu_gotchas.records.loading import load_all, load_candidates, load_heard
from gpu_gotchas.records.model import (
    Candidate,
    Gotcha,
)
from gpu_gotchas.records.templates import Template
from gpu_gotchas.search.entries import candidate_entry, gotcha_entry
from gpu_gotchas.search.field_words import candidate_fields, gotcha_fields, heard_field, postings
from gpu_gotchas.search.index import Literal, Place, render
from gpu_gotchas.search.likeness import SCALE, direction
from gpu_gotchas.search.normalise import clean
from gpu_gotchas.search.questions import SHORT, questions
from gpu_gotchas.search.words import is_common, terms
from gpu_gotchas.search.written_settings import settings_of

LICENCES = {"code": "Apache-2.0", "records": "CC0-1.0", "results": "CC0-1.0", "index": "CC0-1.0"}


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
    entries = {gotcha.id: gotcha_entry(gotcha) for gotcha in gotchas}
    entries.update({candidate.id: candidate_entry(candidate) for candidate in candidates})
    ids = sorted(entries)
    fields = {gotcha.id: gotcha_fields(gotcha) for gotcha in gotchas}
    fields.update({candidate.id: candidate_fields(candidate) for candidate in candidates})
    aliases = {alias: name for name in ids for alias in entries[name]["aliases"]}
    for one in heard:
        fields.get(aliases.get(one.of, one.of), []).append(heard_field(one))
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
        "settings": settings_of([*gotchas, *candidates]),
    }
    return render(head, entries, postings(ids, fields), vectors)


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


def _today() -> str:
    """The day of the build; SOURCE_DATE_EPOCH, where set, makes builds repeatable."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    return moment.date().isoformat()

"""The shape of _candidates.yaml: gotchas that are believed and not yet proven."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gpu_gotchas.records.case_shape import case
from gpu_gotchas.records.gotcha_shape import MOST_REPORTERS, SAYS
from gpu_gotchas.records.model import Candidate, Claim, Report
from gpu_gotchas.records.shapes import Bad, Shape, Sink, integer, items, one_of, prose, table
from gpu_gotchas.records.symptom_shape import signature
from gpu_gotchas.records.words import date_as_known, handle, identifier, phrase, title, url
from gpu_gotchas.records.yaml_nodes import Items, Node, line_index

_claim = table(Claim, {"number": integer(1, MOST_REPORTERS), "url": url})

# Believed on public threads, whose author or day was not always kept.
_report = table(
    Report,
    required={"url": url, "date": date_as_known, "says": one_of(SAYS)},
    optional={"by": (handle, None), "on": (items(identifier, unique=True), ())},
)

_candidate: Shape[dict[str, Any]] = table(
    dict,
    required={
        "id": identifier,
        "title": title,
        "symptom": prose(1000),
        "believed": prose(),
        "because": prose(),
        "repro_wanted": prose(),
        "concepts": items(identifier, least=1, unique=True),
        "reporter_count": integer(0, MOST_REPORTERS),
    },
    optional={
        "aliases": (items(identifier, unique=True), ()),
        "asked_as": (items(phrase, unique=True), ()),
        "signatures": (items(signature), ()),
        "affects": (items(case), ()),
        "reports": (items(_report), ()),
        "claimed": (_claim, None),
    },
)


def read_candidates(node: Node, path: Path, sink: Sink) -> tuple[Candidate, ...] | Bad:
    """Every candidate of the file, or BAD when a problem was reported to `sink`."""
    values = items(_candidate)(node, sink)
    if isinstance(values, Bad) or not isinstance(node, Items):
        return Bad.BAD
    return tuple(
        Candidate(**fields, path=path, lines=line_index(item))
        for fields, item in zip(values, node.items, strict=True)
    )

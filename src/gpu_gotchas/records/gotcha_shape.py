"""The shape of gotcha.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gpu_gotchas.records.case_shape import case
from gpu_gotchas.records.model import (
    ControlAxis,
    Event,
    Fix,
    FixType,
    Gotcha,
    Kind,
    Model,
    Report,
    Risk,
    Severity,
    Sibling,
    Status,
    Upstream,
    Workaround,
)
from gpu_gotchas.records.shapes import (
    Bad,
    Shape,
    Sink,
    choice,
    integer,
    items,
    nullable,
    one_of,
    prose,
    table,
)
from gpu_gotchas.records.symptom_shape import symptom
from gpu_gotchas.records.words import date, handle, identifier, line, package, phrase, release, title, url
from gpu_gotchas.records.yaml_nodes import Node, line_index

SAYS = ("reproduces", "does-not-reproduce", "withdrawn")
STATES = ("open", "closed", "merged")
MOST_REPORTERS = 100_000

report = table(
    Report,
    required={"url": url, "by": handle, "date": date, "says": one_of(SAYS)},
    optional={"on": (items(identifier, unique=True), ())},
)

_workaround = table(Workaround, {"do": prose(1000)}, {"costs": (nullable(prose(1000)), None)})
_model = table(Model, {"package": package, "version": release, "function": line})
_sibling = table(Sibling, {"id": identifier, "tell_apart": prose(1000)})
_fix = table(Fix, {"use": line, "type": choice(FixType), "costs": prose(1000), "risk": choice(Risk)})
_upstream = table(
    Upstream,
    {"url": url, "title": line, "state": one_of(STATES), "checked": date},
    {"fixed_in": (nullable(line), None)},
)
_event = table(Event, {"date": date, "was": prose(2000), "why": prose(2000)})

_record: Shape[dict[str, Any]] = table(
    dict,
    required={
        "id": identifier,
        "title": title,
        "status": choice(Status),
        "severity": choice(Severity),
        "kind": choice(Kind),
        "added": date,
        "concepts": items(identifier, least=1, unique=True),
        "symptom": symptom,
        "root_cause": prose(),
        "affects": items(case),
        "reporter_count": integer(0, MOST_REPORTERS),
    },
    optional={
        "aliases": (items(identifier, unique=True), ()),
        "asked_as": (items(phrase, unique=True), ()),
        "workaround": (items(_workaround), ()),
        "control": (choice(ControlAxis), None),
        "models": (items(_model), ()),
        "siblings": (items(_sibling), ()),
        "reports": (items(report), ()),
        "fixes": (items(_fix), ()),
        "upstream": (items(_upstream), ()),
        "history": (items(_event), ()),
        "successor": (identifier, None),
    },
)


def read_gotcha(node: Node, folder: Path, sink: Sink) -> Gotcha | Bad:
    """The record in `folder`, or BAD when a problem was reported to `sink`."""
    values = _record(node, sink)
    return values if isinstance(values, Bad) else Gotcha(**values, path=folder, lines=line_index(node))

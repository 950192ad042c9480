"""The shape of what a user sees: signatures, observables, exits."""

from __future__ import annotations

import math
import re

from gpu_gotchas.records.model import Basis, Bound, ExpectedExit, Observable, Signature, Symptom
from gpu_gotchas.records.shapes import choice, integer, items, parsed, prose, table, text
from gpu_gotchas.records.templates import Template
from gpu_gotchas.records.words import line, url

BOUND = r"(>=|<=) ?(-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?)"


def _template(source: str) -> str:
    Template.parse(source)
    return source


def _bound(source: str) -> Bound:
    match = re.fullmatch(BOUND, source)
    value = float(match[2]) if match else math.nan
    if match is None or not math.isfinite(value):
        raise ValueError(f'must be a bound such as ">= 0.1", not {source!r}')
    return Bound(above=match[1] == ">=", value=value)


template = parsed(text(wanted="a line template", longest=500), _template)

signature = table(
    Signature,
    required={"lines": items(template, least=1), "basis": choice(Basis)},
    optional={"basis_url": (url, None), "context": (items(template, unique=True), ())},
)

bound = parsed(text(BOUND, 'a bound such as ">= 0.1"'), _bound)

observable = table(
    Observable,
    required={
        "quantity": line,
        "unit": line,
        "bad": bound,
        "good": bound,
        "seeds": integer(1, 100),
        "repeats": integer(1, 100),
        "because": prose(),
    },
)

symptom = table(
    Symptom,
    required={"summary": prose(1000)},
    optional={
        "signatures": (items(signature), ()),
        "observable": (observable, None),
        "exit": (choice(ExpectedExit), None),
    },
)

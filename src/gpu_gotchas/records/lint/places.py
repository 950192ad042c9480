"""Walks over an entry: all its prose, links, dates and templates, each with its place in the file."""

from __future__ import annotations

from collections.abc import Iterator

from gpu_gotchas.records.lint.base import Entry
from gpu_gotchas.records.model import Gotcha, Signature


def prose(entry: Entry) -> Iterator[tuple[str, str]]:
    """Everything a person wrote in words."""
    yield "title", entry.title
    if not isinstance(entry, Gotcha):
        for name in ("symptom", "believed", "because", "repro_wanted"):
            yield name, getattr(entry, name)
        return
    yield "symptom.summary", entry.symptom.summary
    if entry.symptom.observable:
        yield "symptom.observable.because", entry.symptom.observable.because
    yield "root_cause", entry.root_cause
    for number, workaround in enumerate(entry.workaround):
        yield f"workaround[{number}].do", workaround.do
        yield f"workaround[{number}].costs", workaround.costs or ""
    for number, sibling in enumerate(entry.siblings):
        yield f"siblings[{number}].tell_apart", sibling.tell_apart
    for number, fix in enumerate(entry.fixes):
        yield f"fixes[{number}].use", fix.use
        yield f"fixes[{number}].costs", fix.costs
    for number, link in enumerate(entry.upstream):
        yield f"upstream[{number}].title", link.title
    for number, event in enumerate(entry.history):
        yield f"history[{number}].was", event.was
        yield f"history[{number}].why", event.why


def signatures(entry: Entry) -> Iterator[tuple[str, Signature]]:
    """The signatures of a record or a candidate."""
    found, place = (
        (entry.symptom.signatures, "symptom.signatures")
        if isinstance(entry, Gotcha)
        else (entry.signatures, "signatures")
    )
    for number, signature in enumerate(found):
        yield f"{place}[{number}]", signature


def templates(entry: Entry) -> Iterator[tuple[str, str]]:
    """Every line template, those of the context too."""
    for place, signature in signatures(entry):
        for number, line in enumerate(signature.lines):
            yield f"{place}.lines[{number}]", line
        for number, line in enumerate(signature.context):
            yield f"{place}.context[{number}]", line


def links(entry: Entry) -> Iterator[tuple[str, str]]:
    for number, report in enumerate(entry.reports):
        yield f"reports[{number}].url", report.url
    for place, signature in signatures(entry):
        if signature.basis_url:
            yield f"{place}.basis_url", signature.basis_url
    if isinstance(entry, Gotcha):
        for number, upstream in enumerate(entry.upstream):
            yield f"upstream[{number}].url", upstream.url
    elif entry.claimed:
        yield "claimed.url", entry.claimed.url


def dates(entry: Entry) -> Iterator[tuple[str, str]]:
    for number, report in enumerate(entry.reports):
        yield f"reports[{number}].date", report.date
    if isinstance(entry, Gotcha):
        yield "added", entry.added
        for number, upstream in enumerate(entry.upstream):
            yield f"upstream[{number}].checked", upstream.checked
        for number, event in enumerate(entry.history):
            yield f"history[{number}].date", event.date

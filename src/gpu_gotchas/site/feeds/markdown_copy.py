"""A record as Markdown for programs that read text: what its page says, without the page.

Nothing renders it, so text stands as it is in the record; what does not print is spelt out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpu_gotchas.records.model import Gotcha, Signature
from gpu_gotchas.records.usage import read_usage, to_type
from gpu_gotchas.site.evidence import ground
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.markdown import blocks, bullets, fence, visible
from gpu_gotchas.site.parts import case_versions, known
from gpu_gotchas.site.wording import KINDS, either, hardware, plural


def markdown_copy(entry: Entry, knowledge: Knowledge) -> str:
    """The record but for its single results and reports, which its JSON has. Withdrawn advice is left out."""
    gotcha = entry.gotcha
    said = blocks(
        f"# {_line(gotcha.title)}",
        bullets(map(_line, _facts(entry, knowledge))),
        _withdrawn(gotcha),
        f"## What you see\n\n{gotcha.symptom.summary.strip()}",
        *map(_signature, gotcha.symptom.signatures),
        "" if gotcha.status.withdrawn else _list("What to do now", _advice(gotcha)),
        f"## Why\n\n{gotcha.root_cause.strip()}",
        "" if gotcha.status.withdrawn else _fixes(gotcha),
        _list("Look-alikes", (f"{one.id}: {one.tell_apart}" for one in gotcha.siblings)),
        _list("Upstream", (f"{one.title} ({one.state}, {one.checked}) {one.url}" for one in gotcha.upstream)),
        _list("History", (f"{one.date}, was: {one.was} Now: {one.why}" for one in gotcha.history)),
    )
    return visible(said)


def _facts(entry: Entry, knowledge: Knowledge) -> Iterator[str]:
    gotcha = entry.gotcha
    yield f"id: {gotcha.id}"
    yield (
        f"status: {entry.status.value} ({known(entry)})" if ground(entry) else f"status: {entry.status.value}"
    )
    yield f"effect: {KINDS[gotcha.kind]}, {gotcha.severity.value}"
    for case in gotcha.affects:
        parts = [hardware(case.hardware, knowledge.targets), case_versions(entry, [case]), *case.platform]
        parts += [f"{name} is {either(values)}" for name, values in case.when.items()]
        yield f"affects: {'; '.join(filter(None, parts))}"
    yield f"reported by: {plural(gotcha.reporter_count, 'person', 'people')}"
    if gotcha.aliases:
        yield f"older names: {', '.join(gotcha.aliases)}"


def _withdrawn(gotcha: Gotcha) -> str:
    if not gotcha.status.withdrawn:
        return ""
    why = gotcha.history[-1].why if gotcha.history else "the record does not say why"
    instead = f" See {gotcha.successor} instead." if gotcha.successor else ""
    return _line(f"Withdrawn: {why}{instead}")


def _signature(signature: Signature) -> str:
    context = (
        f"Near it there may be:\n\n{fence(chr(10).join(signature.context))}" if signature.context else ""
    )
    return blocks(fence("\n".join(signature.lines)), context)


def _advice(gotcha: Gotcha) -> Iterator[str]:
    for one in gotcha.workaround:
        yield one.do + (f" Costs: {one.costs}" if one.costs else "")


def _fixes(gotcha: Gotcha) -> str:
    shown = []
    for fix in gotcha.fixes:
        usage = read_usage(fix.use)
        code = fence("\n".join(usage.lines), "python") if usage else fence(to_type(fix.use))
        shown.append(
            blocks(code, _line(f"Type: {fix.type.value}. Risk: {fix.risk.value}. Costs: {fix.costs}"))
        )
    return blocks("## The fix", *shown) if shown else ""


def _list(heading: str, items: Iterable[str]) -> str:
    found = [_line(item) for item in items]
    return f"## {heading}\n\n{bullets(found)}" if found else ""


def _line(raw: str) -> str:
    return " ".join(visible(raw).split())

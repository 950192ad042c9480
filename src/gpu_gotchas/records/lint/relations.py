"""Rules about how records point at each other."""

from __future__ import annotations

from collections.abc import Iterator

from gpu_gotchas.records.lint.base import Base, Finding, each_gotcha, each_gotcha_in_base
from gpu_gotchas.records.model import Gotcha, Signature
from gpu_gotchas.records.shapes import suggestion
from gpu_gotchas.records.templates import Template


@each_gotcha_in_base
def siblings_exist(gotcha: Gotcha, base: Base) -> Iterator[Finding]:
    """A sibling, record or candidate, is there to compare with; a dead name sends readers nowhere."""
    for number, sibling in enumerate(gotcha.siblings):
        if sibling.id not in base.ids:
            hint = suggestion(sibling.id, base.ids)
            yield Finding(
                f"siblings[{number}].id", f"{sibling.id!r} is neither a record nor a candidate{hint}"
            )


@each_gotcha_in_base
def siblings_are_mutual(gotcha: Gotcha, base: Base) -> Iterator[Finding]:
    """Whoever lands on the wrong one of two look-alikes must find the way, from either side."""
    for number, sibling in enumerate(gotcha.siblings):
        other = base.by_id.get(sibling.id)
        if other and other is not gotcha and gotcha.id not in {back.id for back in other.siblings}:
            yield Finding(
                f"siblings[{number}].id", f"{sibling.id} does not name {gotcha.id} in turn: add it there"
            )


@each_gotcha
def siblings_are_others(gotcha: Gotcha) -> Iterator[Finding]:
    """A record is not its own look-alike, and one look-alike needs one line."""
    seen: set[str] = set()
    for number, sibling in enumerate(gotcha.siblings):
        if sibling.id == gotcha.id:
            yield Finding(f"siblings[{number}].id", "is this record itself: take it out")
        elif sibling.id in seen:
            yield Finding(f"siblings[{number}].id", f"{sibling.id} stands in this list already")
        seen.add(sibling.id)


@each_gotcha_in_base
def equal_signatures_are_siblings(gotcha: Gotcha, base: Base) -> Iterator[Finding]:
    """When two causes print one text, search can't choose between them, so each must say how to tell."""
    named = {sibling.id for sibling in gotcha.siblings} | {gotcha.successor}
    for number, signature in enumerate(gotcha.symptom.signatures):
        for other in base.gotchas:
            if other is gotcha or other.id in named or other.successor == gotcha.id:
                continue
            if _shape(signature) in map(_shape, other.symptom.signatures):
                yield Finding(
                    f"symptom.signatures[{number}]",
                    f"is a signature of {other.id} too: name it under siblings, with what tells them apart",
                )


def _shape(signature: Signature) -> tuple[str, ...]:
    return tuple(Template.parse(line).shape for line in signature.lines)


@each_gotcha_in_base
def successor_exists(gotcha: Gotcha, base: Base) -> Iterator[Finding]:
    """Who meets a withdrawn record is sent on to its successor, a record or a candidate."""
    if gotcha.successor is not None and gotcha.successor not in base.ids:
        hint = suggestion(gotcha.successor, base.ids)
        yield Finding("successor", f"{gotcha.successor!r} is neither a record nor a candidate{hint}")


@each_gotcha_in_base
def successors_lead_somewhere(gotcha: Gotcha, base: Base) -> Iterator[Finding]:
    """A ring of successors never reaches a record that holds."""
    seen = [gotcha.id]
    at: Gotcha | None = gotcha
    while at is not None and at.successor is not None:
        if at.successor in seen:
            yield Finding("successor", f"leads in a ring: {' -> '.join([*seen, at.successor])}")
            return
        seen.append(at.successor)
        at = base.by_id.get(at.successor)

"""Rules about what a symptom is recognised by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu_gotchas.records.lint.base import Entry, Finding, each_entry, each_gotcha
from gpu_gotchas.records.lint.places import signatures, templates
from gpu_gotchas.records.model import Basis, Gotcha
from gpu_gotchas.records.templates import Template

SHORTEST_LITERAL = 6

# Words that stand in healthy logs and in every traceback; a template of these alone tells nothing.
_ANYWHERE = """
    a an and at by call cannot could cuda device does error exception expected failed failure file for found
    from gpu got has have hip importerror in indexerror info internal invalid is it keyerror last line memory
    message most no not of on or out python recent runtime runtimeerror running server sglang signal size
    stderr stdout support supported the this to torch traceback triton typeerror unknown unsupported
    valueerror vllm warning was while with
"""
BOILERPLATE = frozenset(_ANYWHERE.split())


@each_entry
def template_has_a_literal(entry: Entry) -> Iterator[Finding]:
    """Search looks for the longest literal first; a short one is found in every log."""
    for place, source in templates(entry):
        longest = Template.parse(source).longest_literal.strip()
        if len(longest) < SHORTEST_LITERAL:
            yield Finding(
                place,
                f"longest literal is {longest!r}: keep at least {SHORTEST_LITERAL} characters between holes",
            )


@each_entry
def template_is_telling(entry: Entry) -> Iterator[Finding]:
    """A line of words that every log holds would claim to know failures that it does not."""
    for place, source in templates(entry):
        words = re.findall(r"\w+", " ".join(Template.parse(source).literals).lower())
        if all(word in BOILERPLATE for word in words):
            yield Finding(place, "holds only words that stand in any log: add what is this failure's own")


@each_entry
def basis_fits_url(entry: Entry) -> Iterator[Finding]:
    """A reported text is as good as the report that shows it; a proven one is shown by our own repro."""
    for place, signature in signatures(entry):
        if signature.basis is Basis.REPORTED and signature.basis_url is None:
            yield Finding(place, "has basis reported, so basis_url must link the report that shows the text")
        if signature.basis is Basis.PROVEN and signature.basis_url is not None:
            yield Finding(
                f"{place}.basis_url", "belongs to basis reported: a proven text is printed by the repro"
            )


@each_entry
def candidate_proves_nothing(entry: Entry) -> Iterator[Finding]:
    """A candidate has no repro that could have printed a text."""
    for place, signature in signatures(entry):
        if not isinstance(entry, Gotcha) and signature.basis is Basis.PROVEN:
            yield Finding(f"{place}.basis", "is proven, but a candidate has no repro: use reported")


@each_gotcha
def bounds_are_apart(gotcha: Gotcha) -> Iterator[Finding]:
    """A measurement must never be bad and good at once."""
    observable = gotcha.symptom.observable
    if observable is None:
        return
    bad, good = observable.bad, observable.good
    apart = bad.above != good.above and (bad.value > good.value if bad.above else bad.value < good.value)
    if not apart:
        yield Finding("symptom.observable", f"bad {bad} and good {good} overlap: leave a gap between them")

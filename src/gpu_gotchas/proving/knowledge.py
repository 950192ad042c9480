"""What a verdict may ask of the whole base: which record a text leads to, and which others it meets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.records.templates import match_signature
from gpu_gotchas.repro.judge import Knowledge
from gpu_gotchas.search import search
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.store import open_index


def knowledge(gotchas: Sequence[Gotcha]) -> Knowledge:
    """Ask search for the first hit, and every record's own signatures for what else explains a text."""

    @cache
    def index() -> Index:
        return open_index()

    def first(text: str) -> str | None:
        results = search(text, index=index()).results
        return results[0].id if results else None

    return Knowledge(first=first, others=lambda text: _others(text, gotchas))


def _others(text: str, gotchas: Sequence[Gotcha]) -> list[str]:
    lines = text.splitlines()
    return [
        gotcha.id
        for gotcha in gotchas
        if not gotcha.status.withdrawn
        and any(match_signature(signature, lines) for signature in gotcha.symptom.signatures)
    ]

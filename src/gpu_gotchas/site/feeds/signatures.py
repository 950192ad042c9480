"""signatures.json: what every failure prints, and nothing else, for programs that match by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpu_gotchas.records.model import Signature
from gpu_gotchas.site.feeds.json_export import FORMAT, LICENCES, dump, plain
from gpu_gotchas.site.knowledge import Knowledge


def signatures(knowledge: Knowledge) -> str:
    """One entry for each signature of each record and candidate.

    status: what results bear out, or `candidate`. basis: `proven` or `reported`. All `lines` must occur, in
    order; `context` need not.
    """
    return dump(
        {
            "version": FORMAT,
            "generated": knowledge.generated,
            "licence": LICENCES["records"],
            "signatures": list(_all(knowledge)),
        }
    )


def _all(knowledge: Knowledge) -> Iterator[dict[str, Any]]:
    for entry in knowledge.entries:
        for signature in entry.gotcha.symptom.signatures:
            yield _one(entry.gotcha.id, entry.status.value, signature)
    for candidate in knowledge.candidates:
        for signature in candidate.signatures:
            yield _one(candidate.id, "candidate", signature)


def _one(id: str, status: str, signature: Signature) -> dict[str, Any]:
    return {"id": id, "status": status, **plain(signature)}

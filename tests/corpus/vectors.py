"""Test vectors for whatever reads the index: a text, and the class and the ids that it must get, in order.

    GOTCHAS_UPDATE_GOLDEN=1 python -m pytest tests/search/test_vectors.py

writes `vectors.json` anew. Texts are reports that were built on, some of them noisy, reports of no gotcha,
and healthy logs; none is of the part that is only measured on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpu_gotchas.search.engine import Search
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.lines import lines_of
from tests.corpus import BUILD, HERE, NEGATIVE, healthy_logs, part
from tests.corpus.noise import KINDS, noisy

PATH = HERE / "vectors.json"
VERSION = 1
_EVERY = 4
_LARGE = {"healthy-before"}


def texts() -> Iterator[tuple[str, str]]:
    """(name, text) of every vector."""
    kinds = sorted(KINDS.keys() - _LARGE)
    for number, report in enumerate(part(BUILD)[::_EVERY]):
        kind = kinds[number % len(kinds)]
        yield f"{report.id} {kind}", noisy(kind, report.error_text, report.id).decode("utf-8", "replace")
    for report in part(NEGATIVE):
        yield report.id, report.error_text
    for log in healthy_logs():
        if len(log.text) < 4_000:
            yield log.name, log.text


def answers(index: Index) -> dict[str, Any]:
    """The document that `vectors.json` holds."""
    return {"version": VERSION, "vectors": [_vector(name, text, index) for name, text in texts()]}


def _vector(name: str, text: str, index: Index) -> dict[str, Any]:
    run = Search(index)
    run.feed(lines_of([text.encode()]))
    answer = run.answer()
    ids = [result.id for result in answer.results]
    return {"name": name, "text": text, "answer": answer.verdict.value, "ids": ids}

"""Records that look like those that are there: the same texts with another kernel, card or version.

Whoever adds a gotcha adds one of these without meaning to. None of them claims anything about the world.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from gpu_gotchas.records.model import Basis, Candidate, Gotcha, Signature

_KERNEL = re.compile(r"\b_?[a-z]+(?:_[a-z0-9]+){2,}\b")
_CARD = re.compile(r"\b(?:sm_\d{2,3}a?|gfx\d+\w*)\b")
_VERSION = re.compile(r"\b\d+\.\d+\.\d+\b")
_NUMBER = re.compile(r"(?<![\w{])\d{4,6}(?!\w)")


def lookalikes(gotchas: Sequence[Gotcha], candidates: Sequence[Candidate], count: int) -> list[Candidate]:
    """As many, of entries that print something, spread evenly over all of them."""
    printing = [entry for entry in (*gotchas, *candidates) if _signatures(entry)]
    step = len(printing) / count
    return [_lookalike(printing[int(step * number)], number) for number in range(count)]


def _signatures(entry: Gotcha | Candidate) -> tuple[Signature, ...]:
    return entry.signatures if isinstance(entry, Candidate) else entry.symptom.signatures


def _lookalike(entry: Gotcha | Candidate, number: int) -> Candidate:
    def other(text: str) -> str:
        text = _KERNEL.sub(f"_other_kernel_{number}", text)
        text = _CARD.sub(f"sm_{131 + number}", text)
        return _NUMBER.sub(str(77_000 + number), _VERSION.sub(f"9.{number}.0", text))

    believed = isinstance(entry, Candidate)
    signatures = tuple(
        replace(
            signature,
            lines=tuple(map(other, signature.lines)),
            context=(f"_other_kernel_{number}",),
            basis=Basis.REPORTED,
        )
        for signature in _signatures(entry)
    )
    return Candidate(
        id=f"lookalike-{number}",
        title=other(entry.title),
        symptom=other(entry.symptom if isinstance(entry, Candidate) else entry.symptom.summary),
        believed=other(entry.believed if isinstance(entry, Candidate) else entry.root_cause),
        because="It looks like one that is there.",
        repro_wanted="None: it is made up for a test.",
        concepts=entry.concepts,
        aliases=(),
        signatures=signatures,
        affects=() if believed else entry.affects,
        reports=(),
        reporter_count=0,
        claimed=None,
        path=entry.path,
    )

"""Keeping results beside the record that they prove."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum

from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.fingerprint import fingerprint
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Tier
from gpu_gotchas.repro.results import KEPT, Result, fold, read_results
from gpu_gotchas.repro.source import read_repro


class Left(Enum):
    """Why a result is not kept."""

    SKIPPED = "they did not run"
    DESCRIBED = "their hardware was read from a file"
    FUTURE = "their date lies in the future, and would win over every later one"
    UNBORNE = "their numbers lie outside the bounds of their outcome, or a card's result names no card"
    STALE = "the record, its repro or its fix has changed since"


@dataclass(frozen=True, slots=True)
class Kept:
    """added: results that are new. unchanged: those that were there. left: how many are left out, and why."""

    added: int
    unchanged: int
    left: Mapping[Left, int]


def keep(gotcha: Gotcha, results: Iterable[Result], by: str | None = None) -> Kept:
    """Fold `results` into the record's file; the newest answer to each question wins.

    by: who ran them, where the results do not say. Kept results about an older form of the record go, since
    nothing asks for them. Raises ResultError for a broken file; the old file stays then.
    """
    repro = read_repro(gotcha.path)
    current = fingerprint(gotcha, repro) if repro else None
    path = gotcha.path / KEPT
    before = [result for result in read_results(path) if result.proves == current]
    left: Counter[Left] = Counter()
    counted: list[Result] = []
    for result in results:
        why = _why_not(gotcha, result, current)
        if why:
            left[why] += 1
        else:
            counted.append(replace(result, by=result.by or by))
    folded = fold(before, counted)
    if folded or path.exists():
        scratch = path.with_suffix(".new")
        lines = "".join(f"{result.to_json()}\n" for result in folded)
        scratch.write_text(lines, encoding="utf-8", newline="\n")
        scratch.replace(path)
    unchanged = len(set(map(Result.to_json, before)) & set(map(Result.to_json, folded)))
    return Kept(len(folded) - unchanged, unchanged, left)


def _why_not(gotcha: Gotcha, result: Result, current: str | None) -> Left | None:
    if result.outcome is Outcome.SKIPPED:
        return Left.SKIPPED
    if result.described:
        return Left.DESCRIBED
    if datetime.fromisoformat(result.date) > datetime.now(UTC) + timedelta(days=1):
        return Left.FUTURE
    if result.proves != current:
        return Left.STALE
    return None if _is_borne_out(gotcha, result) else Left.UNBORNE


_NO_CARD = ("cpu", "none")


def _is_borne_out(gotcha: Gotcha, result: Result) -> bool:
    """A file of results is anybody's word; a card's needs the card, and numbers are held against the record's
    own bounds."""
    if result.tier is Tier.DEVICE and (not result.device or result.target in _NO_CARD or not result.versions):
        return False
    observable = gotcha.symptom.observable
    bound = {
        Outcome.REPRODUCED: observable.bad if observable else None,
        Outcome.FIX_CONFIRMED: observable.good if observable else None,
        Outcome.CONTROL_CLEAN: observable.good if observable else None,
    }.get(result.outcome)
    return bound is None or not result.measured or all(map(bound.holds, result.measured))

"""What a search comes to, as data. How it is reached is in `decide`, how it is shown in the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from gpu_gotchas.search.strength import Strength

JSON_VERSION = 1


class Verdict(Enum):
    """THIS_IS_IT: one proven signature, and nothing speaks against it. LOOKS_LIKE: at most three results."""

    THIS_IS_IT = "this-is-it"
    LOOKS_LIKE = "looks-like"
    NOT_KNOWN = "not-known"


class Lack(Enum):
    """What a text has nothing of. FAILURE: no line reads like one. CAUSE: only echoes of one are in it, which
    the programs around it print whatever it was."""

    FAILURE = "failure"
    CAUSE = "cause"


class Seen(NamedTuple):
    """One line of the text that met one template. holes: what the named holes of the template stood for."""

    number: int
    text: str
    template: str
    holes: Mapping[str, str]


class Withdrawn(NamedTuple):
    """Why a record no longer gives advice, and the id of what replaced it."""

    because: str
    successor: str | None


@dataclass(frozen=True, slots=True)
class Result:
    """One gotcha that the text may be about.

    status: the record's own, or `candidate`. by: `signature`, `words` or `successor`.
    score: 0 to 1, an order and no probability. why: one sentence.
    lines, context: what met the signature's templates and its context. words: what met by word ranking.
    agreed, disagreed: what is known of the machine and the paste, held against the record's claim.
    tell_apart: id of each sibling that matched too, to what tells it from this one.
    rests_on: the line of the text that says most for it. confirm: what would make it certain, if it is not.
    do: what to do, in one line, of several ways the one that says most of what the text does; None where the
    record gives no advice. otherwise: the other ways. believed: of a candidate, the cause as far as it is
    believed, helped: what people say that they did about it, reports: where to read of it; nothing of it is
    proven.
    """

    id: str
    title: str
    status: str
    severity: str | None
    kind: str | None
    by: str
    score: float
    why: str
    lines: tuple[Seen, ...] = ()
    context: tuple[Seen, ...] = ()
    words: tuple[str, ...] = ()
    agreed: tuple[str, ...] = ()
    disagreed: tuple[str, ...] = ()
    tell_apart: Mapping[str, str] | None = None
    rests_on: str = ""
    confirm: str | None = None
    do: str | None = None
    otherwise: tuple[str, ...] = ()
    believed: str | None = None
    helped: str | None = None
    reports: tuple[str, ...] = ()
    withdrawn: Withdrawn | None = None


class Loser(NamedTuple):
    """The record that came nearest to being named, and why it was not."""

    id: str
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class Answer:
    """results: best first. index_date: the day the index was built (ISO 8601).

    nearest: the best that is not among the results. collect: what would help to find out, where nothing is
    known; lacks: what such a text has nothing of. strength: of a *looks like*, how far it can be believed.

    An answer is true when it names something, and false when nothing is known.
    """

    verdict: Verdict
    results: tuple[Result, ...]
    index_date: str
    nearest: Loser | None = None
    collect: tuple[str, ...] = ()
    strength: Strength | None = None
    lacks: Lack | None = None

    def __bool__(self) -> bool:
        return bool(self.results)

    def to_json(self) -> dict[str, Any]:
        """The object that `gotchas search --json` prints."""
        return {
            "version": JSON_VERSION,
            "answer": self.verdict.value,
            "strength": self.strength and self.strength.value,
            "results": [_result_json(result) for result in self.results],
            "index_date": self.index_date,
            "nearest": self.nearest and self.nearest._asdict(),
            "collect": list(self.collect),
            "lacks": self.lacks and self.lacks.value,
        }


def _result_json(result: Result) -> dict[str, Any]:
    withdrawn = result.withdrawn
    return {
        "id": result.id,
        "status": result.status,
        "score": round(result.score, 3),
        "why": result.why,
        "title": result.title,
        "severity": result.severity,
        "kind": result.kind,
        "by": result.by,
        "do": result.do,
        "otherwise": list(result.otherwise),
        "believed": result.believed,
        "helped": result.helped,
        "reports": list(result.reports),
        "lines": [_seen_json(seen) for seen in result.lines],
        "context": [_seen_json(seen) for seen in result.context],
        "words": list(result.words),
        "rests_on": result.rests_on,
        "confirm": result.confirm,
        "agreed": list(result.agreed),
        "disagreed": list(result.disagreed),
        "tell_apart": dict(result.tell_apart or {}),
        "withdrawn": withdrawn and {"because": withdrawn.because, "successor": withdrawn.successor},
    }


def _seen_json(seen: Seen) -> dict[str, Any]:
    return {
        "number": seen.number,
        "text": seen.text,
        "template": seen.template,
        "holes": dict(seen.holes),
    }

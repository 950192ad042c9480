"""What each tool answers, as plain data. The SDK is not needed for it.

Answers are small, since an agent pays for each word; `get` gives the whole of one record. What an agent sends
is a text to search, never an instruction, and only text of records comes back, beside the lines that matched.
The classes have no slots, whose descriptors the SDK takes for default values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpu_gotchas.cli.exits import UsageFailed

MOST_TEXT = 4_000_000
"""Characters of a text to search. Of a longer one the end is searched, where logs fail."""

_LONGEST = 300


@dataclass(frozen=True)
class Match:
    """As in `gotchas search --json`. do: what to do; otherwise: other ways. confirm: what would make it
    certain, null where it is. Of a candidate, believed: the cause as far as it is; helped: what people say
    that they did about it; reports: where to read of it."""

    id: str
    title: str
    status: str
    score: float
    why: str
    rests_on: str
    do: str | None
    otherwise: list[str]
    believed: str | None
    helped: str | None
    reports: list[str]
    confirm: str | None
    disagreed: list[str]
    withdrawn: str | None


@dataclass(frozen=True)
class Answer:
    """answer: `this-is-it`, `looks-like` or `not-known`. strength: of a likeness, `strong`, `fair` or `weak`.
    collect: what to find out where nothing is known. lacks: what such a text has nothing of, `failure`
    (no line reads like one) or `cause` (only echoes are in it: the cause stands above them in the log)."""

    answer: str
    strength: str | None
    results: list[Match]
    collect: list[str]
    lacks: str | None
    index_date: str


@dataclass(frozen=True)
class Record:
    """record: everything that it says. asked: the name that was asked for, which may be an older one."""

    id: str
    asked: str
    proven: bool
    record: dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """status: of the record, or `candidate` for what is reported and not proven. verdict: `will` or `may`.

    decide: what would decide a `may`. fix: whether one is in force.

    remedies: fixes to use. do: what helps without one.
    """

    id: str
    title: str
    status: str
    severity: str | None
    verdict: str
    bites: bool
    decide: list[str]
    fix: str
    remedies: list[dict[str, Any]]
    do: list[str]


@dataclass(frozen=True)
class Examination:
    """told_by: where what is known of the machine comes from. gotchas: what will happen, and the likeliest of
    what may; counts says how many more may, and how many more are reported."""

    told_by: list[str]
    counts: dict[str, int]
    gotchas: list[Finding]
    notes: list[str]


def search(text: str, card: str | None = None) -> Answer:
    """Raises UsageFailed for a card that nobody knows, and for an empty text."""
    from gpu_gotchas.hardware.catalogue import UnknownName
    from gpu_gotchas.search import search as ask
    from gpu_gotchas.search.evidence import machine_with

    if not text.strip():
        raise UsageFailed("text is empty: give the error as it was printed, or the log around it")
    try:
        machine = machine_with(card) if card else None
    except UnknownName as error:
        raise UsageFailed(f"card: {error}") from None
    said = ask(text[-MOST_TEXT:], machine).to_json()
    results = [_match(one) for one in said["results"]]
    told = {name: said[name] for name in ("answer", "strength", "collect", "lacks", "index_date")}
    return Answer(results=results, **told)


def _match(one: dict[str, Any]) -> Match:
    taken = ("id", "title", "status", "score", "why", "do", "otherwise", "believed", "helped", "reports")
    gone = one["withdrawn"]
    return Match(
        **{name: one[name] for name in (*taken, "confirm", "disagreed")},
        rests_on=one["rests_on"][:_LONGEST],
        withdrawn=gone["because"] if gone else None,
    )


def get(name: str) -> Record:
    """Raises UsageFailed, with the nearest name, where there is none."""
    from gpu_gotchas.cli.suggest import suggestion
    from gpu_gotchas.cli.whole import candidates, record
    from gpu_gotchas.search.store import open_index

    index = open_index()
    wanted = name.strip().lower()
    found = index.aliases.get(wanted, wanted)
    entry = index.record(found) if found else None
    if entry is None:
        raise UsageFailed(f"there is no gotcha {name!r}{suggestion(name, [*index.ids, *index.aliases])}")
    whole = candidates()[found] if entry["status"] == "candidate" else record(found)
    whole["results"] = len(whole.get("results", ()))
    return Record(found, name, whole["status"] in ("verified", "reproduced"), whole)


def doctor(
    command: str | None = None,
    card: str | None = None,
    versions: list[str] | None = None,
    machine: str | None = None,
) -> Examination:
    """Raises UsageFailed and BadInput, as the command does."""
    from gpu_gotchas.cli.doctor_asking import Question, examine
    from gpu_gotchas.doctor.formats import json_report

    words = ("sh", "-c", command) if command and command.strip() else ()
    asked = Question(words, as_card=card, versions=tuple(versions or ()), pasted=machine or "")
    said = json_report.report(examine(asked))
    told = [_finding(one) for one in (*said["gotchas"], *said["reported"]) if one["named"]]
    return Examination(said["machine"]["told_by"], said["counts"], told, said["notes"])


def _finding(one: dict[str, Any]) -> Finding:
    taken = ("id", "title", "status", "severity", "verdict", "bites", "decide")
    return Finding(
        **{name: one[name] for name in taken},
        fix=one["fix"]["state"],
        remedies=one["fix"]["remedies"],
        do=[each["do"] for each in one["workarounds"]],
    )

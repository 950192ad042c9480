"""How loud each assessment is in a program's terms."""

from __future__ import annotations

from gpu_gotchas.doctor.advice import advice
from gpu_gotchas.doctor.assess import Assessment, Verdict
from gpu_gotchas.records.model import Severity


def level(one: Assessment) -> str:
    """error, warning or note; a fix in force makes it a note."""
    if not one.bites:
        return "note"
    return "warning" if one.gotcha.severity is Severity.MINOR else "error"


def status(one: Assessment) -> str:
    """The record's, or `candidate`."""
    return "candidate" if one.gotcha.status is None else one.gotcha.status.value


def labels(one: Assessment) -> str:
    """What is known of a record in three words: `verified, blocker, crash`."""
    record = one.gotcha
    if record.status is None or record.severity is None or record.kind is None:
        return "reported, not proven"
    return f"{record.status.value}, {record.severity.value}, {record.kind.value}"


def message(one: Assessment, servers: str = "") -> str:
    """One paragraph: what happens, of which servers where there are several, what would decide it, what
    helps."""
    record = one.gotcha
    will = {Verdict.WILL: "will happen", Verdict.MAY: "may happen", Verdict.CANNOT: "cannot happen"}
    held = one.verdict is Verdict.WILL and not one.bites
    verdict = "would happen, and a fix in force stops it" if held else will[one.verdict]
    parts = [f"{record.title} ({verdict}; {labels(one)})."]
    if servers:
        parts.append(f"Of {servers}.")
    if one.open:
        parts.append(f"What would decide it: {'; '.join(one.open)}.")
    if record.status is not None:
        parts += [f"{line.removesuffix('.')}." for line in advice(one, authors=False)]
    return " ".join(parts)

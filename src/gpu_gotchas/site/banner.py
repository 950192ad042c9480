"""What a reader of a gotcha's page has to know before anything else."""

from __future__ import annotations

from gpu_gotchas.records.model import Status
from gpu_gotchas.site.knowledge import Entry
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import block, sentence, text


def banner(entry: Entry, links: Links) -> str:
    """Why a record is not to be relied on, or nothing where it is."""
    status = entry.status
    if status is Status.DRAFT:
        said = _draft(entry)
    elif status is Status.CONTESTED:
        said = _contested(entry)
    elif status.withdrawn:
        said = _withdrawn(entry, links)
    else:
        return ""
    return block(f"banner gg-status-{status.value}", said)


def _draft(entry: Entry) -> str:
    if entry.proof is None:
        return "**Draft: not proven yet.** Nobody has written code that makes it happen."
    if entry.proof.missing_bug:
        return "**Draft: not proven yet.** What is missing is listed under proof."
    return "**Draft.** What was run bears it out; the record waits for more."


def _contested(entry: Entry) -> str:
    against = entry.proof.contradictions if entry.proof else ()
    return f"**Contested.** {'; '.join(map(text, against)) or 'People disagree about it'}."


def _withdrawn(entry: Entry, links: Links) -> str:
    gotcha = entry.gotcha
    why = sentence(gotcha.history[-1].why) if gotcha.history else "The record does not say why."
    instead = f" See {links.gotcha(gotcha.successor)} instead." if gotcha.successor else ""
    return f"**{gotcha.status.value.capitalize()}**, and kept to be found. {why}{instead}"

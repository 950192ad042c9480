"""Candidates as work wanted: what most people met comes first, then what has most reports."""

from __future__ import annotations

from gpu_gotchas.records.model import Candidate
from gpu_gotchas.site.knowledge import Knowledge
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import block, blocks, code, details, front_matter, link, prose, text
from gpu_gotchas.site.parts import reports, signatures
from gpu_gotchas.site.wording import plural


def ranked(candidates: tuple[Candidate, ...]) -> list[Candidate]:
    return sorted(candidates, key=lambda one: (-one.reporter_count, -len(one.reports), one.id))


def page(knowledge: Knowledge, links: Links) -> str:
    found = ranked(knowledge.candidates)
    return blocks(
        front_matter("Work wanted", "What people met and nobody has shown yet.", hide=["toc"]),
        "# Work wanted",
        "Failures that people met and nobody has shown yet in code that others can run; what most met comes "
        "first. Each says what an honest repro would need.",
        block("wanted", blocks(*(_candidate(candidate, links) for candidate in found)))
        if found
        else "There is none at the moment.",
    )


def _candidate(candidate: Candidate, links: Links) -> str:
    claimed = candidate.claimed
    elsewhere = (
        f"; {link(f'elsewhere {claimed.number} are said to have met it', claimed.url)}" if claimed else ""
    )
    names = ", ".join(map(code, (candidate.id, *candidate.aliases)))
    said = blocks(
        prose(candidate.symptom),
        signatures(candidate.signatures),
        f"**Believed:** {prose(candidate.believed)}",
        f"**Because:** {prose(candidate.because)}",
        f"**Wanted:** {prose(candidate.repro_wanted)}",
        f"{_reported(candidate)}{elsewhere}.",
        reports(candidate.reports, links),
        f"{names}: {', '.join(map(links.concept, candidate.concepts))}",
    )
    met = plural(candidate.reporter_count, "person", "people")
    return details(f"{text(candidate.title)} *{met}*", said, candidate.id)


def _reported(candidate: Candidate) -> str:
    people = f"{plural(candidate.reporter_count, 'person', 'people')} reported it"
    unnamed = sum(report.by is None for report in candidate.reports)
    if not unnamed:
        return people
    more = plural(unnamed, "report", "reports")
    return f"{people}, and {more} without a name" if candidate.reporter_count else f"{more} without a name"

"""The page of one concept: the gotchas and the candidates that have to do with it."""

from __future__ import annotations

from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import blocks, front_matter, text
from gpu_gotchas.site.parts import MOST, by_severity, candidate_list, gotcha_table


def page(concept: str, entries: tuple[Entry, ...], knowledge: Knowledge, links: Links) -> str:
    name = concept.replace("-", " ")
    wanted = [candidate for candidate in knowledge.candidates if concept in candidate.concepts]
    ranked = by_severity(entries)
    more = len(ranked) - MOST
    return blocks(
        front_matter(name, f"Known GPU inference failures that have to do with {name}."),
        f"# {text(name)}",
        gotcha_table(ranked[:MOST], links),
        f"These are the worst {MOST}; {links.in_table(f'{more} more', text=concept)}." if more > 0 else "",
        blocks("## Believed, not proven", candidate_list(wanted, links)) if wanted else "",
    )

"""The page of one concept: the gotchas and the candidates that have to do with it."""

from __future__ import annotations

from gpu_gotchas.site.links import Held, Links
from gpu_gotchas.site.markdown import blocks, front_matter, text
from gpu_gotchas.site.parts import MOST, by_severity, candidate_list, gotcha_table


def page(concept: str, held: Held, links: Links) -> str:
    name = concept.replace("-", " ")
    ranked = by_severity(held.entries)
    more = len(ranked) - MOST
    return blocks(
        front_matter(name, f"Known GPU inference failures that have to do with {name}."),
        f"# {text(name)}",
        gotcha_table(ranked[:MOST], links),
        f"These are the worst {MOST}; {links.in_table(f'{more} more', text=concept)}." if more > 0 else "",
        blocks("## Believed, not proven", candidate_list(held.candidates, links)) if held.candidates else "",
    )

"""Addresses that lead on: older names of records, names of candidates, and GPUs that share a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from gpu_gotchas.site.knowledge import Knowledge
from gpu_gotchas.site.links import CANDIDATES_ADDRESS, gotcha_address, gpu_address
from gpu_gotchas.site.markdown import attribute

# What is no name, as no record that was checked has one, gets no address.
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def redirects(knowledge: Knowledge, gpu_pages: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Path and HTML of each. An address once given out stays right when something gets a page of its own."""
    for entry in knowledge.entries:
        for alias in filter(_NAME.fullmatch, entry.gotcha.aliases):
            yield _page(gotcha_address(alias), alias, f"../../{gotcha_address(entry.gotcha.id)}")
    for candidate in knowledge.candidates:
        for name in filter(_NAME.fullmatch, (candidate.id, *candidate.aliases)):
            yield _page(gotcha_address(name), name, f"../../{CANDIDATES_ADDRESS}#{candidate.id}")
    for page, ids in gpu_pages.items():
        for id in ids:
            if id != page:
                yield _page(gpu_address(id), id, f"../../{gpu_address(page)}")


def _page(address: str, name: str, to: str) -> tuple[str, str]:
    """No script is needed; where refreshing is switched off, the link is there."""
    leads = attribute(to)
    return f"{address}index.html", (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
        f'<meta http-equiv="refresh" content="0; url={leads}"><meta name="robots" content="noindex">'
        f'<link rel="canonical" href="{leads}"><title>{attribute(name)}</title></head>'
        f'<body><p>It is here now: <a href="{leads}">{leads}</a></p></body></html>\n'
    )

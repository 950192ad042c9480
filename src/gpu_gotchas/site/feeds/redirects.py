"""Addresses that lead on: a record's older names, and a candidate's names before it has a page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu_gotchas.site.knowledge import Knowledge
from gpu_gotchas.site.links import CANDIDATES_ADDRESS, gotcha_address
from gpu_gotchas.site.markdown import attribute

# What is no name, as no record that was checked has one, gets no address.
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def redirects(knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    """Path and HTML of each. An address once given out stays right when a candidate becomes a record."""
    for entry in knowledge.entries:
        for alias in filter(_NAME.fullmatch, entry.gotcha.aliases):
            yield _page(alias, f"../../{gotcha_address(entry.gotcha.id)}")
    for candidate in knowledge.candidates:
        for name in filter(_NAME.fullmatch, (candidate.id, *candidate.aliases)):
            yield _page(name, f"../../{CANDIDATES_ADDRESS}#{candidate.id}")


def _page(name: str, to: str) -> tuple[str, str]:
    """No script is needed; where refreshing is switched off, the link is there."""
    address = attribute(to)
    return f"{gotcha_address(name)}index.html", (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
        f'<meta http-equiv="refresh" content="0; url={address}"><meta name="robots" content="noindex">'
        f'<link rel="canonical" href="{address}"><title>{attribute(name)}</title></head>'
        f'<body><p>It is here now: <a href="{address}">{address}</a></p></body></html>\n'
    )

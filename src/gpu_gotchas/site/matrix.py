"""The matrix: each gotcha against each target, with how firmly it is known there.

It is HTML, since on a phone each row turns into a list of its own: a cell carries the name of its target.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from gpu_gotchas.hardware.targets import Target
from gpu_gotchas.site.evidence import Mark, marks, names_hardware, reasoning_shown
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import Links, gotcha_path
from gpu_gotchas.site.markdown import attribute, blocks, front_matter
from gpu_gotchas.site.parts import SIGNS, by_severity
from gpu_gotchas.site.wording import target_words, vendor_name

_EVERY_CARD = "every card"
_LEGEND = (Mark.CARD, Mark.UPSTREAM, Mark.MECHANISM, Mark.LOGIC, Mark.REPORTED, Mark.CLAIMED, Mark.CLEAN)


def page(knowledge: Knowledge, links: Links) -> str:
    return blocks(
        front_matter("Matrix", "Every gotcha against every target, with how firmly it is known.", ["toc"]),
        "# Matrix",
        "How firmly each gotcha is known for what code is compiled for: compute capabilities on NVIDIA, gfx "
        "names on AMD. A cell shows everything that is known; an empty one claims nothing.",
        _legend(),
        _table(knowledge, links),
    )


def _legend() -> str:
    items = "".join(f"<li>{_sign(mark)} {attribute(mark.value)}</li>" for mark in _LEGEND)
    return f'<ul class="gg-legend">{items}</ul>'


def _sign(mark: Mark) -> str:
    """A sign that tells its mark by letter and colour, and by its whole name to a screen reader."""
    name = mark.name.lower()
    return f'<abbr class="gg-mark gg-{name}" title="{attribute(mark.value)}">{SIGNS[mark]}</abbr>'


def _table(knowledge: Knowledge, links: Links) -> str:
    entries = by_severity(knowledge.standing)
    known = {
        (entry.gotcha.id, target.name): found
        for entry in entries
        for target in knowledge.targets
        if (found := marks(entry, target, knowledge))
    }
    columns = [target for target in knowledge.targets if any(name == target.name for _, name in known)]
    rows = "\n".join(_row(entry, columns, known, links) for entry in entries)
    return (
        '<div class="gg-matrix" tabindex="0" role="region" aria-label="Matrix">\n<table class="gg-cells">\n'
        f"<thead>{_head(columns)}</thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def _head(columns: Sequence[Target]) -> str:
    vendors = dict.fromkeys(target.vendor for target in columns)
    groups = "".join(
        f'<th scope="colgroup" colspan="{sum(target.vendor is vendor for target in columns)}">'
        f"{vendor_name(vendor)}</th>"
        for vendor in vendors
    )
    names = "".join(f'<th scope="col">{_short(target)}</th>' for target in columns)
    return (
        f'<tr><th rowspan="2" scope="col">Gotcha</th><th rowspan="2" scope="col">{_EVERY_CARD}</th>'
        f"{groups}</tr>"
        f"<tr>{names}</tr>"
    )


def _short(target: Target) -> str:
    return attribute(target_words(target))


def _row(
    entry: Entry, columns: Sequence[Target], known: dict[tuple[str, str], tuple[Mark, ...]], links: Links
) -> str:
    gotcha = entry.gotcha
    # mkdocs turns links of Markdown into addresses, and leaves those in HTML as they are.
    path = posixpath.relpath(gotcha_path(gotcha.id).removesuffix(".md"), links.here.removesuffix(".md"))
    everywhere: tuple[Mark, ...] = ()
    if not names_hardware(gotcha):
        everywhere = (Mark.LOGIC,) if reasoning_shown(entry) else (Mark.CLAIMED,)
    elif reasoning_shown(entry):
        everywhere = (Mark.LOGIC,)
    cells = [_cell(_EVERY_CARD, everywhere)]
    cells += [_cell(target_words(target), known.get((gotcha.id, target.name), ())) for target in columns]
    head = f'<th scope="row"><a href="{path}/">{attribute(gotcha.title)}</a></th>'
    return f"<tr>{head}{''.join(cells)}</tr>"


def _cell(target: str, found: Sequence[Mark]) -> str:
    if not found:
        return "<td></td>"
    return f'<td data-target="{attribute(target)}">{"".join(map(_sign, reversed(found)))}</td>'

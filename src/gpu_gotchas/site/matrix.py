"""The matrix: each gotcha against each target, with how firmly it is known there; a table for each vendor.

It is HTML, since on a phone each row turns into a list of its own: a cell carries the name of its target.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from itertools import groupby

from gpu_gotchas.hardware.targets import Target, Vendor
from gpu_gotchas.site.evidence import Mark, marks, marks_on_cpu
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import Links, gotcha_path
from gpu_gotchas.site.markdown import attribute, blocks, front_matter
from gpu_gotchas.site.parts import SIGNS, by_severity
from gpu_gotchas.site.wording import target_words, vendor_name

Known = Mapping[tuple[str, Target], tuple[Mark, ...]]
_ON_CPU = "every card claimed"
_LEGEND = (Mark.CARD, Mark.UPSTREAM, Mark.UPSTREAM_CPU, Mark.MECHANISM, Mark.LOGIC, Mark.REPORTED,
           Mark.CLAIMED, Mark.CLEAN)  # fmt: skip


def page(knowledge: Knowledge, links: Links) -> str:
    entries = by_severity(knowledge.standing)
    known = {
        (entry.gotcha.id, target): found
        for entry in entries
        for target in knowledge.targets
        if (found := marks(entry, target, knowledge))
    }
    tables = []
    for vendor in Vendor:
        columns = [
            one for one in knowledge.targets if one.vendor is vendor and any(one in key for key in known)
        ]
        rows = [one for one in entries if any((one.gotcha.id, target) in known for target in columns)]
        if rows:
            tables.append(_table(vendor, rows, columns, known, links))
    return blocks(
        front_matter("Matrix", "Every gotcha against every target, with how firmly it is known.", ["toc"]),
        "# Matrix",
        "How firmly each gotcha is known for what code is compiled for: compute capabilities on NVIDIA, gfx "
        f"names on AMD. What a CPU shows stands under *{_ON_CPU}*, since it holds for every card that the "
        "record claims. A cell shows everything that is known; an empty one claims nothing.",
        _legend(),
        *tables,
    )


def _legend() -> str:
    """One entry for each sign; a sign of two marks says both."""
    said: dict[str, list[Mark]] = {}
    for mark in _LEGEND:
        said.setdefault(SIGNS[mark], []).append(mark)
    items = "".join(
        f"<li>{_sign(alike[0])} {attribute(', or '.join(mark.value for mark in alike))}</li>"
        for alike in said.values()
    )
    return f'<ul class="gg-legend">{items}</ul>'


def _sign(mark: Mark) -> str:
    """A sign that tells its mark by letter and colour, and by its whole name to a screen reader."""
    name = mark.name.lower().removesuffix("_cpu")
    return f'<abbr class="gg-mark gg-{name}" title="{attribute(mark.value)}">{SIGNS[mark]}</abbr>'


def _table(
    vendor: Vendor, entries: Sequence[Entry], columns: Sequence[Target], known: Known, links: Links
) -> str:
    name = vendor_name(vendor)
    rows = "\n".join(_row(entry, columns, known, links) for entry in entries)
    return blocks(
        f"## {name}",
        f'<div class="gg-matrix" tabindex="0" role="region" aria-label="Matrix of {name}">\n'
        f'<table class="gg-cells">\n<thead>{_head(columns)}</thead>\n<tbody>\n{rows}\n</tbody>\n'
        "</table>\n</div>",
    )


def _head(columns: Sequence[Target]) -> str:
    names = "".join(f'<th scope="col">{_breakable(target)}</th>' for target in columns)
    return f'<tr><th scope="col">Gotcha</th><th scope="col">{_ON_CPU}</th>{names}</tr>'


def _breakable(target: Target) -> str:
    """A gfx name may break after its letters, so that a column is no wider than a sign or two."""
    said = attribute(target_words(target))
    return said.replace("gfx", "gfx<wbr>", 1)


def _row(entry: Entry, columns: Sequence[Target], known: Known, links: Links) -> str:
    gotcha = entry.gotcha
    # mkdocs turns links of Markdown into addresses, and leaves those in HTML as they are.
    path = posixpath.relpath(gotcha_path(gotcha.id).removesuffix(".md"), links.here.removesuffix(".md"))
    cells = [_cell([_ON_CPU], marks_on_cpu(entry))]
    for found, alike in groupby(columns, lambda target: known.get((gotcha.id, target), ())):
        cells.append(_cell([target_words(target) for target in alike], found))
    head = f'<th scope="row"><a href="{path}/">{attribute(gotcha.title)}</a></th>'
    return f"<tr>{head}{''.join(cells)}</tr>"


def _cell(names: Sequence[str], found: Sequence[Mark]) -> str:
    """One cell for neighbours of which the same is known."""
    span = f' colspan="{len(names)}"' if len(names) > 1 else ""
    if not found:
        return f"<td{span}></td>"
    ends = " to ".join(dict.fromkeys((names[0], names[-1])))
    return f'<td{span} data-target="{attribute(ends)}">{"".join(map(_sign, reversed(found)))}</td>'

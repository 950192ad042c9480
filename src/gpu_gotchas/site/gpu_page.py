"""The page of one GPU: everything that concerns it, and how firmly each is known there."""

from __future__ import annotations

from gpu_gotchas.hardware.gpus import Gpu
from gpu_gotchas.hardware.targets import KIB, Target, Vendor
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.site.evidence import Mark, cards_run, marks, marks_on_cpu, standing_reports
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import (
    block,
    blocks,
    bullets,
    code,
    front_matter,
    link,
    table,
    text,
)
from gpu_gotchas.site.parts import MOST, by_severity, case_versions, severity_chip
from gpu_gotchas.site.reach import Concerning, strikes
from gpu_gotchas.site.wording import gpu_name, listed, target_words


def page(gpu: Gpu, here: Concerning, knowledge: Knowledge, links: Links) -> str:
    name = gpu_name(gpu)

    def listed_as(heading: str, entries: tuple[Entry, ...]) -> str:
        if not entries:
            return ""
        ranked = by_severity(entries)
        more = len(ranked) - MOST
        return blocks(
            heading,
            _table(gpu, ranked[:MOST], knowledge, links),
            f"These are the worst {MOST}; {links.in_table(f'{more} more', target=gpu.target.name)}."
            if more > 0
            else "",
        )

    return blocks(
        front_matter(name, f"Known inference failures on {name}, proven and reported."),
        f"# {text(name)}",
        _limits(gpu),
        listed_as("## What concerns it in particular", here.particular),
        listed_as("## On every card", here.every_card),
    )


def _table(gpu: Gpu, entries: list[Entry], knowledge: Knowledge, links: Links) -> str:
    rows = [
        [
            links.gotcha(entry.gotcha.id),
            severity_chip(entry.gotcha),
            text(known_here(entry, gpu, knowledge)),
            text(case_versions(entry, entry.gotcha.affects, brief=True)) or "any",
        ]
        for entry in entries
    ]
    return block("gotchas", table(["Gotcha", "Severity", "Known here", "Versions"], rows))


def _limits(gpu: Gpu) -> str:
    sizes = " or ".join(f"{size} GB" for size in gpu.memory) or "shared with the system"
    units = "SMs" if gpu.vendor is Vendor.NVIDIA else "Compute units"
    facts = [
        ("Target", code(gpu.target.name)),
        ("Compute capability", target_words(gpu.target) if gpu.target.capability else ""),
        ("Memory", sizes),
        (units, str(gpu.multiprocessors)),
        ("Shared memory for a block", shared_memory(gpu.target)),
        ("The driver calls it", " or ".join(code(name) for name in gpu.names)),
    ]
    return bullets(
        f"{name}: {value}"
        for name, value in [*facts, ("Source", link(_host(gpu.source), gpu.source))]
        if value
    )


def _host(url: str) -> str:
    return text(url.removeprefix("https://").partition("/")[0])


def shared_memory(target: Target) -> str:
    """What one block gets without asking, and at most."""
    most = f"{target.shared_optin / KIB:g} KiB"
    if target.shared_default == target.shared_optin:
        return most
    return f"{target.shared_default / KIB:g} KiB, up to {most} when asked for"


# What the firmer of two says as well.
_SAID_WITH = {Mark.UPSTREAM: Mark.MECHANISM, Mark.UPSTREAM_CPU: Mark.LOGIC}


def known_here(entry: Entry, gpu: Gpu, knowledge: Knowledge) -> str:
    """How firmly the gotcha is known on this card; what holds for its target says so. Plain text."""
    inside = strikes(entry.gotcha, gpu) is not Truth.NO
    found = {*marks(entry, gpu.target, knowledge), *(marks_on_cpu(entry) if inside else ())}
    if len(found) > 1:
        found.discard(Mark.CLAIMED)  # says least
    for firmer, weaker in _SAID_WITH.items():
        if firmer in found:
            found.discard(weaker)
    said = []
    reported = any(gpu.id in report.on for report in standing_reports(entry.gotcha))
    for mark in [mark for mark in reversed(Mark) if mark in found]:
        if mark is Mark.CARD:
            said.append(
                "proven on this card" if gpu.id in cards_run(entry) else "proven on a card of this target"
            )
        elif mark is Mark.REPORTED:
            said.append("reported on it" if reported else "reported on a card of this target")
        else:
            said.append(mark.value)
    if reported and not inside:
        said.append("outside the record's range")
    return listed(said)

"""The page of a GPU, or of several that the same concerns: what that is, and how firmly it is known there."""

from __future__ import annotations

from collections.abc import Sequence

from gpu_gotchas.hardware.gpus import Gpu
from gpu_gotchas.hardware.targets import KIB, Target, Vendor
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.site.evidence import Mark, cards_run, marks, marks_on_cpu, standing_reports
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import EVERY_CARD, Links
from gpu_gotchas.site.markdown import (
    block,
    blocks,
    bullets,
    code,
    details,
    front_matter,
    link,
    table,
    text,
)
from gpu_gotchas.site.parts import FEW, MOST, by_severity, case_versions, severity_chip
from gpu_gotchas.site.reach import Concerning, strikes
from gpu_gotchas.site.wording import gpu_name, listed, target_words


def page(gpus: Sequence[Gpu], here: Concerning, knowledge: Knowledge, links: Links) -> str:
    """gpus: one, or those of a target that the same concerns."""
    first, *others = gpus
    name = _all_of(first.target) if others else gpu_name(first)
    names = listed([gpu_name(gpu) for gpu in gpus])
    return blocks(
        front_matter(name, f"Known inference failures on {names}, proven and reported."),
        f"# {text(name)}",
        _cards(gpus, links) if others else _limits(first),
        blocks("## What concerns it in particular", _particular(first, here.particular, knowledge, links)),
        blocks("## On every card", _everywhere(here.every_card, links)) if here.every_card else "",
    )


def _all_of(target: Target) -> str:
    words = target_words(target)
    return f"Compute capability {words}" if target.capability else f"AMD {words}"


def _cards(gpus: Sequence[Gpu], links: Links) -> str:
    """What they share, then what tells them apart; those that have pages of their own are said as well."""
    target = gpus[0].target
    rows = [
        [
            text(gpu_name(gpu)),
            _sizes(gpu),
            str(gpu.multiprocessors or "not known"),
            _driver(gpu),
            link(_host(gpu.source), gpu.source),
        ]
        for gpu in gpus
    ]
    own = [
        links.gpu(id)
        for id, page in links.sitemap.page_of_gpu.items()
        if id == page and links.sitemap.knowledge.gpu_by_id[id].target == target
    ]
    head = ["Card", "Memory", _units(gpus[0]), "The driver calls it", "Source"]
    return blocks(
        f"{code(target.name)}, shared memory for a block {shared_memory(target)}. "
        + text(", ".join(gpu_name(gpu) for gpu in gpus))
        + ".",
        f"More is known of {listed(own)}." if own else "",
        details("Memory and names", block("gotchas", table(head, rows))),
    )


def _particular(gpu: Gpu, entries: tuple[Entry, ...], knowledge: Knowledge, links: Links) -> str:
    ranked = by_severity(entries)
    more = len(ranked) - MOST
    link = links.in_table(f"{more} more", target=gpu.target.name)
    return blocks(
        _table(gpu, ranked[:MOST], knowledge, links),
        f"These are the worst {MOST}; {link}." if more > 0 else "",
    )


def _everywhere(entries: tuple[Entry, ...], links: Links) -> str:
    """By name only, and of many the worst: they are the same on more than a hundred pages."""
    ranked = by_severity(entries)
    more = len(ranked) - FEW
    shown = [f"{links.gotcha(one.gotcha.id)} {severity_chip(one.gotcha)}" for one in ranked[:FEW]]
    return bullets([*shown, links.to(EVERY_CARD, f"{more} more")] if more > 0 else shown)


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
    facts = [
        ("Target", code(gpu.target.name)),
        ("Compute capability", target_words(gpu.target) if gpu.target.capability else ""),
        ("Memory", _sizes(gpu)),
        (_units(gpu), str(gpu.multiprocessors or "not known")),
        ("Shared memory for a block", shared_memory(gpu.target)),
        ("The driver calls it", _driver(gpu)),
    ]
    return bullets(
        f"{name}: {value}"
        for name, value in [*facts, ("Source", link(_host(gpu.source), gpu.source))]
        if value
    )


def _sizes(gpu: Gpu) -> str:
    return " or ".join(f"{size} GB" for size in gpu.memory) or "shared with the system"


def _units(gpu: Gpu) -> str:
    return "SMs" if gpu.vendor is Vendor.NVIDIA else "Compute units"


def _driver(gpu: Gpu) -> str:
    return " or ".join(code(name) for name in gpu.names)


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

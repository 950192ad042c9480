"""Ways in: the lists of GPUs, packages and concepts."""

from __future__ import annotations

from gpu_gotchas.hardware.targets import Target, Vendor
from gpu_gotchas.site.gpu_page import shared_memory
from gpu_gotchas.site.knowledge import Knowledge
from gpu_gotchas.site.links import Held, Links
from gpu_gotchas.site.markdown import attribute, blocks, bullets, code, details, front_matter, table, text
from gpu_gotchas.site.parts import by_severity, count, gotcha_table
from gpu_gotchas.site.reach import on_every_card
from gpu_gotchas.site.wording import gpu_name, plural, target_words, vendor_name


def gpus(knowledge: Knowledge, links: Links) -> str:
    """What holds for every card; then cards by what code is compiled for; then those with no more to say."""
    everywhere = on_every_card(knowledge.entries)
    sections = []
    for vendor in Vendor:
        targets = [target for target in knowledge.targets if target.vendor is vendor]
        shown = [line for target in targets if (line := _cards(target, knowledge, links))]
        if shown:
            sections += [f"## {vendor_name(vendor)}", bullets(shown)]
    included = f", with the {len(everywhere)} of [every card](#on-every-card)" if everywhere else ""
    return blocks(
        front_matter("By GPU", hide=["toc"]),
        "# By GPU",
        f"By compute capability or gfx name. The number says how many gotchas hold on a card{included}."
        if sections or everywhere
        else "No gotcha names a card yet.",
        *sections,
        _no_more(knowledge, links, len(everywhere)),
        blocks("## On every card {#on-every-card}", gotcha_table(everywhere, links)) if everywhere else "",
    )


def _no_more(knowledge: Knowledge, links: Links, everywhere: int) -> str:
    rest = [gpu for gpu in knowledge.gpus if gpu.id not in links.sitemap.gpus]
    if not rest:
        return ""
    hold = f"What holds on every card ({everywhere}) holds on these as well. " if everywhere else ""
    rows = [[text(gpu_name(gpu)), code(gpu.target.name)] for gpu in rest]
    return blocks(
        "## Other cards",
        f"{hold}No gotcha names them in particular{'.' if everywhere else ' yet.'}",
        details(plural(len(rest), "card"), table(["Card", "Target"], rows)),
    )


def _cards(target: Target, knowledge: Knowledge, links: Links) -> str:
    """The target with its cards; those that share its page by name only, and by what the page holds."""
    concerned = links.sitemap.gpus
    here = [gpu for gpu in knowledge.gpus_by_target.get(target.name, ()) if gpu.id in concerned]
    if not here:
        return ""
    cards = [f"{links.of_gpu(gpu)} ({len(concerned[gpu.id])})" for gpu in here]
    words = f'<strong id="{target.name}">{target_words(target)}</strong>'
    return f"{words}, shared memory for a block {shared_memory(target)}: {', '.join(cards)}"


def packages(links: Links) -> str:
    found = links.sitemap.packages
    rows = [[links.package(package), count(entries)] for package, entries in found.items()]
    return blocks(
        front_matter("By package", hide=["toc"]),
        "# By package",
        table(["Package", "Gotchas"], rows) or "No record names a package yet.",
    )


def concepts(links: Links) -> str:
    """Those of many first, each with a page; then those of few, with what has them."""
    found = links.sitemap.concepts
    many = [
        f"{links.concept(name)} ({len(held.entries) + len(held.candidates)})"
        for name, held in found.items()
        if held.many
    ]
    few = [
        f'<strong id="{attribute(name)}">{attribute(name.replace("-", " "))}</strong>: {_those(held, links)}'
        for name, held in found.items()
        if not held.many
    ]
    return blocks(
        front_matter("By concept", hide=["toc"]),
        "# By concept",
        ", ".join(many) or ("" if few else "No record names a concept yet."),
        blocks("## Of few", bullets(few)) if few else "",
    )


def _those(held: Held, links: Links) -> str:
    proven = [links.gotcha(entry.gotcha.id) for entry in by_severity(held.entries)]
    believed = [f"{links.gotcha(one.id)} (believed)" for one in held.candidates]
    return "; ".join([*proven, *believed])

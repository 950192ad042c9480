"""Ways in: the lists of GPUs, packages and concepts."""

from __future__ import annotations

from gpu_gotchas.hardware.targets import Target, Vendor
from gpu_gotchas.site.gpu_page import shared_memory
from gpu_gotchas.site.knowledge import Knowledge
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import blocks, code, details, front_matter, table, text
from gpu_gotchas.site.parts import count, gotcha_table
from gpu_gotchas.site.reach import on_every_card
from gpu_gotchas.site.wording import gpu_name, plural, target_words, vendor_name


def gpus(knowledge: Knowledge, links: Links) -> str:
    """What holds for every card; then cards by what code is compiled for; then those with no more to say."""
    everywhere = on_every_card(knowledge.entries)
    sections = []
    for vendor in Vendor:
        targets = [target for target in knowledge.targets if target.vendor is vendor]
        shown = [section for target in targets if (section := _cards(target, knowledge, links))]
        if shown:
            sections += [f"## {vendor_name(vendor)}", *shown]
    included = f", with the {len(everywhere)} of every card" if everywhere else ""
    return blocks(
        front_matter("By GPU", hide=["toc"]),
        "# By GPU",
        "A card has a page where a gotcha names it, its architecture or its limits. "
        f"The number says how many hold on it{included}.",
        blocks("## On every card", gotcha_table(everywhere, links)) if everywhere else "",
        *sections,
        _no_more(knowledge, links, len(everywhere)),
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
    concerned = links.sitemap.gpus
    here = [gpu for gpu in knowledge.gpus_by_target.get(target.name, ()) if gpu.id in concerned]
    if not here:
        return ""
    return blocks(
        f"### {target_words(target)} {{#{target.name}}}",
        f"{code(target.name)}, shared memory for a block {shared_memory(target)}.",
        ", ".join(f"{links.of_gpu(gpu)} ({len(concerned[gpu.id])})" for gpu in here),
    )


def packages(links: Links) -> str:
    found = links.sitemap.packages
    rows = [[links.package(package), count(entries)] for package, entries in found.items()]
    return blocks(
        front_matter("By package", hide=["toc"]),
        "# By package",
        table(["Package", "Gotchas"], rows) or "No record names a package yet.",
    )


def concepts(knowledge: Knowledge, links: Links) -> str:
    rows = [
        [
            links.concept(concept),
            count(entries),
            str(sum(concept in one.concepts for one in knowledge.candidates)),
        ]
        for concept, entries in links.sitemap.concepts.items()
    ]
    return blocks(
        front_matter("By concept", hide=["toc"]),
        "# By concept",
        table(["Concept", "Gotchas", "Candidates"], rows) or "No record names a concept yet.",
    )

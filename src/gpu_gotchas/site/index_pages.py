"""Ways in: all gotchas in one table, and the lists of GPUs, packages and concepts."""

from __future__ import annotations

from gpu_gotchas.hardware.targets import Target, Vendor
from gpu_gotchas.site.gpu_page import shared_memory
from gpu_gotchas.site.knowledge import Knowledge
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import blocks, code, details, front_matter, table, text
from gpu_gotchas.site.parts import gotcha_table
from gpu_gotchas.site.wording import gpu_name, plural, target_words, vendor_name


def gotchas(knowledge: Knowledge, links: Links) -> str:
    return blocks(
        front_matter("Gotchas", hide=["toc"]),
        "# Gotchas",
        f"{plural(len(knowledge.entries), 'record')}, worst first. "
        f"What is believed and not yet proven is under {links.to('candidates.md', 'work wanted')}.",
        gotcha_table(knowledge.entries, links),
    )


def gpus(knowledge: Knowledge, links: Links) -> str:
    """Cards by what code is compiled for; those that nothing concerns in one table."""
    concerned = links.sitemap.gpus
    sections = []
    for vendor in Vendor:
        targets = [target for target in knowledge.targets if target.vendor is vendor]
        shown = [section for target in targets if (section := _cards(target, knowledge, links))]
        if shown:
            sections += [f"## {vendor_name(vendor)}", *shown]
    rest = [[text(gpu_name(gpu)), code(gpu.target.name)] for gpu in knowledge.gpus if gpu.id not in concerned]
    return blocks(
        front_matter("By GPU", hide=["toc"]),
        "# By GPU",
        "A card has a page where a gotcha names it, its architecture or its limits. "
        "The number says how many do.",
        *sections,
        blocks(
            "## Nothing in particular is known of",
            details(plural(len(rest), "card"), table(["Card", "Target"], rest)),
        )
        if rest
        else "",
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
    rows = [[links.package(package), str(len(entries))] for package, entries in found.items()]
    return blocks(
        front_matter("By package", hide=["toc"]),
        "# By package",
        table(["Package", "Gotchas"], rows) or "No record names a package yet.",
    )


def concepts(knowledge: Knowledge, links: Links) -> str:
    rows = [
        [
            links.concept(concept),
            str(len(entries)),
            str(sum(concept in one.concepts for one in knowledge.candidates)),
        ]
        for concept, entries in links.sitemap.concepts.items()
    ]
    return blocks(
        front_matter("By concept", hide=["toc"]),
        "# By concept",
        table(["Concept", "Gotchas", "Candidates"], rows) or "No record names a concept yet.",
    )

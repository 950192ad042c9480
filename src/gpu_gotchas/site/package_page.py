"""The page of one package: what goes wrong with it, in which releases."""

from __future__ import annotations

from gpu_gotchas.site.knowledge import Entry
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import block, blocks, front_matter, table, text
from gpu_gotchas.site.parts import by_severity, case_versions, severity_chip, status_chip
from gpu_gotchas.site.wording import package_name


def page(package: str, entries: tuple[Entry, ...], links: Links) -> str:
    """entries: those whose ranges name this package."""
    name = package_name(package)
    rows = [
        [
            links.gotcha(entry.gotcha.id),
            severity_chip(entry.gotcha),
            text(case_versions(entry, entry.gotcha.affects, package).replace(f"{name} ", "")),
            status_chip(entry),
        ]
        for entry in by_severity(entries)
    ]
    return blocks(
        front_matter(name, f"Known GPU inference failures with {name}, by release."),
        f"# {text(name)}",
        block("gotchas", table(["Gotcha", "Severity", "Versions", "Known"], rows)),
    )

"""What becomes of each patch in each release of the package that it changes."""

from __future__ import annotations

from packaging.version import Version

from gpu_gotchas.site.knowledge import Knowledge
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import blocks, bullets, front_matter, table, text
from gpu_gotchas.site.wording import package_name
from gpu_gotchas.upstream.outcome import WORDS, Applied, Declined, NotNeeded
from gpu_gotchas.upstream.table import PACKAGE, Cell

PATH = "patch-table.md"
_MEANING = {
    Applied: "without the patch the code answers wrong, with it right, and taken out again as before",
    NotNeeded: "the release does not have the code, or its code answers right by itself",
    Declined: "the patch does not touch what is there, and says why",
}


def page(knowledge: Knowledge, links: Links) -> str:
    releases = sorted({release for row in knowledge.patches.values() for release in row}, key=Version)
    rows = [
        [links.gotcha(name), *(_cell(row.get(release)) for release in releases)]
        for name, row in sorted(knowledge.patches.items())
    ]
    declined = [
        f"{links.gotcha(name)}, {release}: {text(cell.why)}"
        for name, row in sorted(knowledge.patches.items())
        for release, cell in row.items()
        if cell.outcome == WORDS[Declined]
    ]
    return blocks(
        front_matter("Patches by release", "What becomes of each patch in each release.", ["toc"]),
        "# Patches by release",
        f"Each cell was made by running that release of {package_name(PACKAGE)}: its own code was asked "
        f"before and after. {links.to('patches.md', 'How patches are switched on')} is a page of its own.",
        bullets(f"**{WORDS[kind]}**: {meaning}" for kind, meaning in _MEANING.items()),
        table(["Patch", *map(text, releases)], rows) or "None was made yet.",
        blocks("## Declined, because", bullets(declined)) if declined else "",
    )


def _cell(cell: Cell | None) -> str:
    return "not run" if cell is None else text(cell.outcome)

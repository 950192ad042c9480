"""The page of patches: every cell says something, and nothing in it is taken for markup."""

from __future__ import annotations

from dataclasses import replace

from gpu_gotchas.site import patches_page
from gpu_gotchas.site.links import Links, Sitemap
from gpu_gotchas.upstream.table import Cell
from tests.site.samples import knowledge

TABLE = {
    "sample-full": {
        "0.9.0": Cell("not needed", "gone"),
        "0.10.0": Cell("declined", "<b>moved</b>"),
    },
    "no-record-of-it": {"0.10.0": Cell("applied and verified", "asked")},
}


def page() -> str:
    known = replace(knowledge(), patches=TABLE)
    return patches_page.page(known, Links(Sitemap(known), patches_page.PATH))


def test_releases_stand_in_the_order_of_versions_and_no_cell_is_empty() -> None:
    rows = [line for line in page().split("\n") if line.startswith("|")]
    assert rows[0] == "| Patch | 0.9.0 | 0.10.0 |"
    assert all(cell.strip() for row in rows for cell in row.strip("|").split("|"))
    assert sum("not run" in row for row in rows) == 1


def test_a_decline_is_told_with_its_reason_and_markup_in_it_is_text() -> None:
    assert "## Declined, because" in page()
    assert "moved" in page()
    assert "<b>" not in page()

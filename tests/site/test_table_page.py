"""The table of all: whole in HTML, and filtered, sorted and remembered in the address by its script."""

from __future__ import annotations

import pytest

from gpu_gotchas.records.model import Severity
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import Links, Sitemap
from gpu_gotchas.site.table_page import page
from tests.site.browser import Browser
from tests.site.rendering import read
from tests.site.samples import case, gotcha, hostile, knowledge, nvidia


def made(known: Knowledge) -> str:
    return page(known, Links(Sitemap(known), "gotchas/index.md"))


def rows(known: Knowledge) -> dict[str, dict[str, str]]:
    """Id to what the row is filtered by."""
    document = read(made(known))
    links = [tag.attributes["href"].rstrip("/") for tag in document.all("a")]
    return dict(zip(links, [tag.attributes for tag in document.all("tr")[1:]], strict=True))


def test_every_record_has_a_row_worst_first_and_withdrawn_last() -> None:
    known = knowledge(Entry(gotcha("a-minor", severity=Severity.MINOR)))
    ids = list(rows(known))
    assert ids[0] == "sample-full"
    assert ids[-2:] == ["a-minor", "sample-retracted"]
    assert len(ids) == len(known.entries)


def test_a_row_says_what_it_is_filtered_by() -> None:
    some = Entry(
        gotcha("sample-some", affects=(case(nvidia("==8.9"), software={"vllm": ()}),), aliases=("old",))
    )
    row = rows(knowledge(some))["sample-some"]
    assert row["data-target"] == "sm_89"
    assert row["data-package"] == "vllm"
    assert row["data-known"] == "unproven"
    assert "old" in row["data-words"].split()


def test_a_withdrawn_record_strikes_no_card() -> None:
    assert "data-target" not in rows(knowledge())["sample-retracted"]


def test_a_hostile_record_stays_text() -> None:
    raw = "\"><script>alert(1)</script> ' onclick=alert(1) &lt;b&gt;"
    document = read(made(knowledge(hostile(raw))))
    assert not document.all("script")
    assert not [tag for tag in document.tags if any(name.startswith("on") for name in tag.attributes)]
    assert raw in document.text


def test_filters_are_hidden_until_the_script_is_there(browser: Browser) -> None:
    with browser.visit("gotchas/?kind=crash", java_script_enabled=False) as visit:
        assert not visit.page.locator(".gg-filters").is_visible()
        shown = visit.page.locator(".gg-all tbody tr:visible").count()
        assert shown == visit.page.locator(".gg-all tbody tr").count() > 5


def test_what_is_chosen_stands_in_the_address_and_comes_back(browser: Browser) -> None:
    with browser.visit("gotchas/") as visit:
        page = visit.page
        every = page.locator(".gg-all tbody tr:visible").count()
        page.select_option("select[name=kind]", "crash")
        page.fill("input[name=text]", "FP8 shared")
        chosen = page.locator(".gg-all tbody tr:visible").count()
        assert 0 < chosen < every
        assert "kind=crash" in page.url
        page.goto(page.url)
        assert page.locator(".gg-all tbody tr:visible").count() == chosen
        assert page.input_value("input[name=text]") == "FP8 shared"
        page.click("button[type=reset]")
        page.wait_for_function("!location.search")
        assert page.locator(".gg-all tbody tr:visible").count() == every
        assert visit.said == []


def test_it_is_sorted_by_keyboard_and_says_so(browser: Browser) -> None:
    with browser.visit("gotchas/") as visit:
        page = visit.page
        head = page.get_by_role("button", name="Reported by")
        head.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        cell = page.locator("th[aria-sort]")
        assert cell.get_attribute("aria-sort") == "descending"
        counts = page.eval_on_selector_all(
            ".gg-all tbody tr", "rows => rows.map(row => Number(row.cells[4].dataset.sort))"
        )
        assert counts == sorted(counts, reverse=True)
        assert len(set(counts)) > 1
        assert "sort=-4" in page.url


@pytest.mark.parametrize(
    "query", ["?sort=99", "?sort=x", "?target=%22%3E%3Cb%3E", "?text=%3Cscript%3E", "?known=none"]
)
def test_an_address_that_nobody_made_does_no_harm(browser: Browser, query: str) -> None:
    with browser.visit(f"gotchas/{query}") as visit:
        assert visit.page.locator(".gg-filters").is_visible()
        assert visit.said == []

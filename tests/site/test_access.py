"""What every kind of page owes its readers: axe finds nothing serious, no other host is asked, it fits a
phone, and no script is needed to read it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.site.browser import CI, Browser
from tests.site.rendering import read

PAGES = [
    "", "gotchas/", "gotchas/triton-mla-fp8-smem-overflow/", "gpus/nvidia-rtx-3090/", "packages/vllm/",
    "settings/", "concepts/kv-cache/", "matrix/", "benchmarks/", "candidates/", "using/",
]  # fmt: skip
# Rules that the theme breaks and that can't be mended without leaving it, with where.
THEME: dict[str, str] = {}
# A list of hundreds is looked at by its first: axe takes seconds for each hundred.
_SHORTEN = """() => { const rest = document.querySelector("article h2:nth-of-type(8)");
                      while (rest?.nextSibling) rest.nextSibling.remove(); }"""


def test_axe_finds_nothing_serious_in_light_and_dark(browser: Browser) -> None:
    if not CI:
        pytest.importorskip("axe_playwright_python", reason="no axe: pip install 'gpu-gotchas[dev]'")
    from axe_playwright_python.sync_playwright import Axe

    axe = Axe()
    found = {}
    for path in PAGES:
        # The policy of the page keeps axe's script out as it does anybody's.
        with browser.visit(path, color_scheme="light", bypass_csp=True) as visit:
            if path == "candidates/":
                visit.page.evaluate(_SHORTEN)
            if not path:
                visit.page.fill("#paste", "RuntimeError: type fp8e4nv not supported in this architecture")
                visit.page.wait_for_selector(".gg-verdict")
            for scheme in ("light", "dark"):
                if scheme == "dark":
                    visit.page.locator("label[for=__palette_1]").click()
                    visit.page.wait_for_selector("body[data-md-color-scheme=slate]")
                for violation in axe.run(visit.page).response["violations"]:
                    if violation["impact"] in ("serious", "critical") and violation["id"] not in THEME:
                        nodes = [
                            (node["target"], node["failureSummary"][:200]) for node in violation["nodes"][:3]
                        ]
                        found[path, scheme, violation["id"]] = nodes
    assert found == {}


def test_no_page_asks_another_host_breaks_its_policy_or_is_wider_than_a_phone(browser: Browser) -> None:
    for path in PAGES:
        with browser.visit(path, viewport={"width": 360, "height": 740}) as visit:
            assert visit.asked
            assert not [one for one in visit.asked if not one.startswith(browser.base)], path
            assert visit.said == [], path
            wide = visit.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= 360, f"{path} is {wide} wide"


@pytest.mark.parametrize("path", PAGES)
def test_what_there_is_to_read_is_in_the_page_without_a_script(shipped_site: Path, path: str) -> None:
    """Hidden is only what needs one: the box and the filters."""
    html = (shipped_site / path / "index.html").read_text("utf-8")
    article = html.partition("<article")[2].partition("</article>")[0]
    document = read(article)
    assert document.all("h1")
    assert len(document.text) > 200
    assert {tag.name for tag in document.tags if "hidden" in tag.attributes} <= {"form"}
    assert not re.search(r"<(?:template|iframe)", article)


def test_a_choice_of_colours_is_kept(browser: Browser) -> None:
    with browser.visit(color_scheme="light") as visit:
        page = visit.page
        page.locator("label[for=__palette_1]").click()
        page.goto(f"{browser.base}matrix/")
        assert page.get_attribute("body", "data-md-color-scheme") == "slate"


def test_a_records_page_is_light(shipped_site: Path) -> None:
    """Half of them at most 20 KB; benchmarks/site.py says the same of a thousand."""
    ids = [path.parent.name for path in shipped_site.glob("gotchas/*/repro.py")]
    sizes = sorted((shipped_site / "gotchas" / id / "index.html").stat().st_size for id in ids)
    assert len(sizes) > 10
    assert sizes[len(sizes) // 2] < 20_000

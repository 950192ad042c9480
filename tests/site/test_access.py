"""What every kind of page owes its readers: axe finds nothing serious, no other host is asked, it fits a
phone, and no script is needed to read it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.site.browser import CI, Browser
from tests.site.rendering import read

PAGES = [
    "", "gotchas/", "gotchas/triton-mla-fp8-smem-overflow/", "gpus/", "gpus/nvidia-rtx-3090/", "gpus/sm_89/",
    "packages/vllm/", "settings/", "symptoms/", "concepts/", "concepts/kv-cache/", "matrix/", "benchmarks/",
    "candidates/", "using/", "404.html",
]  # fmt: skip
# Rules that the theme breaks and that can't be mended without leaving it, with where.
THEME: dict[str, str] = {}
# Of hundreds alike the first are looked at: axe takes seconds for each hundred. What is folded is opened.
_SHORTEN = """() => {
  for (const one of document.querySelectorAll(".gg-wanted > details:nth-of-type(n+9)")) one.remove();
  if (document.querySelector(".gg-plots")) {
    for (const one of document.querySelectorAll("h2:nth-of-type(n+2) ~ *, tr:nth-of-type(n+9)")) one.remove();
  }
  for (const one of document.querySelectorAll("details")) one.open = true;
}"""
# Colours fade into each other, and have too little contrast half way.
_SETTLED = "Promise.allSettled(document.getAnimations().map((one) => one.finished)).then(() => null)"
# What else axe looks at is the same in both colours.
_OF_COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}


def test_axe_finds_nothing_serious_in_light_and_dark(browser: Browser) -> None:
    if not CI:
        pytest.importorskip("axe_playwright_python", reason="no axe: pip install 'gpu-gotchas[dev]'")
    from axe_playwright_python.sync_playwright import Axe

    axe = Axe()
    found = {}
    for path in PAGES:
        # The policy of the page keeps axe's script out as it does anybody's.
        with browser.visit(path, color_scheme="light", bypass_csp=True) as visit:
            visit.page.evaluate(_SHORTEN)
            if not path:
                visit.page.fill("#paste", "RuntimeError: type fp8e4nv not supported in this architecture")
                visit.page.wait_for_selector(".gg-verdict")
            for scheme in ("light", "dark"):
                if scheme == "dark":
                    visit.page.locator(".gg-colours").click()
                    visit.page.wait_for_selector("html[data-md-color-scheme=slate]")
                    visit.page.evaluate(_SETTLED)
                options = _OF_COLOURS if scheme == "dark" else None
                for violation in axe.run(visit.page, options=options).response["violations"]:
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
    html = (shipped_site / path / ("index.html" if not path.endswith(".html") else "")).read_text("utf-8")
    said = html.partition("<main")[2].partition("</main>")[0]
    document = read(said)
    assert document.all("h1")
    assert len(document.text) > (200 if path.endswith("/") else 100)
    assert {tag.name for tag in document.tags if "hidden" in tag.attributes} <= {"form"}
    assert not re.search(r"<(?:template|iframe)", said)


def test_a_choice_of_colours_is_kept(browser: Browser) -> None:
    with browser.visit(color_scheme="light") as visit:
        page = visit.page
        page.locator(".gg-colours").click()
        page.goto(f"{browser.base}matrix/")
        assert page.get_attribute("html", "data-md-color-scheme") == "slate"


def test_colours_are_those_of_the_system_until_others_are_chosen(browser: Browser) -> None:
    for scheme, name in (("light", "default"), ("dark", "slate")):
        with browser.visit(color_scheme=scheme) as visit:
            assert visit.page.get_attribute("html", "data-md-color-scheme") == name


def test_the_menu_of_a_phone_opens_by_keyboard_and_without_a_script(browser: Browser) -> None:
    with browser.visit(viewport={"width": 360, "height": 740}, java_script_enabled=False) as visit:
        page = visit.page
        link = page.get_by_role("link", name="By GPU", exact=True)
        assert link.count() == 0
        page.get_by_label("Menu").focus()
        page.keyboard.press("Space")
        link.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/gpus/")


def test_a_fix_is_copied_with_one_press(browser: Browser) -> None:
    path = "gotchas/triton-mla-fp8-smem-overflow/"
    with browser.visit(path, permissions=["clipboard-read", "clipboard-write"]) as visit:
        page = visit.page
        page.locator("#what-to-do-now + ul .gg-copy").first.click()
        page.wait_for_selector(".gg-copy:text-is('Copied')")
        assert page.evaluate("navigator.clipboard.readText()") == "--kv-cache-dtype auto"
        page.locator("#the-fix + pre .gg-copy").click()
        page.wait_for_selector("#the-fix + pre .gg-copy:text-is('Copied')")
        assert page.evaluate("navigator.clipboard.readText()").startswith("from gpu_gotchas.fixes.launch_fit")


def test_a_link_to_something_folded_opens_it(browser: Browser) -> None:
    with browser.visit("candidates/#triton-smem-over-optin") as visit:
        assert visit.page.locator("#triton-smem-over-optin > p").first.is_visible()

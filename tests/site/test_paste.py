"""The start page's box in a browser: the command line's answers, nothing sent, nothing but text shown."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gpu_gotchas.search.engine import Search, search
from gpu_gotchas.search.evidence import machine_with
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.lines import lines_of
from gpu_gotchas.site.knowledge import Knowledge
from tests.corpus import BUILD, part
from tests.corpus.noise import KINDS, noisy
from tests.corpus.vectors import texts
from tests.search import test_certain, test_course, test_evidence, test_packages, test_trust
from tests.site.browser import Browser, Visit

ERROR = "ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e5',)"
MARKUP = "<img src=x onerror=alert(1)><script>alert(1)</script> RuntimeError: \x1b[31m\u202e&lt;b&gt; \x00"
_ASK = """async (asked) => {
  const { Engine } = await import(new URL("javascripts/search/engine.js", location));
  const engine = new Engine(await (await fetch("search.json")).json());
  return asked.map(({ text, target }) => engine.answer(text, target));
}"""


@pytest.fixture
def start(browser: Browser) -> Iterator[Visit]:
    with browser.visit() as visit:
        yield visit


def wait_for(visit: Visit, verdict: str) -> None:
    visit.page.wait_for_selector(f".gg-{verdict}", timeout=20_000)


def python_says(index: Index, text: str) -> dict[str, Any]:
    run = Search(index)
    run.feed(lines_of([text.encode()]))
    return run.answer().to_json()


def noise() -> Iterator[str]:
    """Reports as they come into a box: a few of each kind of noise."""
    reports = part(BUILD)
    chance = random.Random(8)
    for kind in sorted(KINDS):
        for report in chance.sample(reports, 3):
            yield noisy(kind, report.error_text, report.id).decode("utf-8", "replace")


ODD = (
    "", "\n\n", "\r", "a\r\nb\rc", "\ufeffRuntimeError: x", MARKUP, "{int} {required:int} }}{{ {",
    "x" * 40_000, "RuntimeError: " + "\U0001f600" * 300, "sm_120 RTX 5090 vllm==0.33.0 nan",
    "constructor __proto__ toString", "ok\n" * 150_000 + ERROR,
    "triton-fp8e4nv-below-sm89", "torch 2.11.0+cu126 on compute capability 8.6: " + ERROR,
    "x" * 16_380 + ERROR + "y" * 20_000, "\U0001f600" * 16_380 + ERROR + "\U0001f600" * 20_000,
)  # fmt: skip


def doubtful() -> Iterator[str]:
    """What takes the certainty from an error, or must not; and what says on which card it was."""
    yield from (text for text, *_ in test_course.CAME_FIRST)
    yield from (*test_course.FIRST_OF_ALL, *test_course.QUOTED, *test_course.FOLDED)
    yield from (*test_certain.NO_FAILURE, *test_certain.BESIDE, *test_certain.NOT_BESIDE)
    yield from (*test_certain.LISTED, *test_certain.HANDED_ON)
    yield from (*test_packages.OTHER_PROGRAMS, *test_trust.DISAGREE, *test_trust.AGREE)
    for line in (*test_evidence.READ, *test_evidence.NOT_READ):
        yield f"{line}\n{ERROR}"


def test_the_browser_and_python_answer_alike_in_everything(start: Visit, shipped: Knowledge) -> None:
    """Every vector, noise of every kind, and odd texts: ids, classes, scores, reasons and advice."""
    index = Index(shipped.index)
    asked = [*(text for _, text in texts()), *noise(), *doubtful(), *ODD]
    found = start.page.evaluate(_ASK, [{"text": text, "target": None} for text in asked])
    assert len(found) > 150
    for text, told in zip(asked, found, strict=True):
        assert told == python_says(index, text), text
    assert {told["answer"] for told in found} == {"this-is-it", "looks-like", "not-known"}


@pytest.mark.parametrize("target", ["sm_86", "sm_90", "gfx942"])
def test_a_card_that_is_named_counts_as_on_the_command_line(
    start: Visit, shipped: Knowledge, target: str
) -> None:
    (told,) = start.page.evaluate(_ASK, [{"text": ERROR, "target": target}])
    assert told == search(ERROR, machine_with(target), index=Index(shipped.index)).to_json()


def test_what_is_typed_is_answered_and_sent_nowhere(start: Visit, browser: Browser) -> None:
    page = start.page
    assert "sent nowhere" in page.inner_text("#gg-private")
    page.fill("#paste", ERROR)
    wait_for(start, "this-is-it")
    link = page.locator(".gg-answer h3 a").first
    assert link.get_attribute("href") == "gotchas/triton-fp8e4nv-below-sm89/"
    assert all(address.startswith(browser.base) for address in start.asked)
    assert not [address for address in start.asked if "fp8e4nv" in address.removeprefix(browser.base)]
    assert start.said == []
    page.fill("#paste", "")
    page.wait_for_selector(".gg-answer:empty", state="attached")


def test_from_paste_to_answer_by_keyboard_alone(browser: Browser) -> None:
    with browser.visit("#paste") as visit:
        page = visit.page
        page.wait_for_function("document.activeElement.id === 'paste'")
        page.keyboard.insert_text(ERROR)
        wait_for(visit, "this-is-it")
        for _ in range(8):
            page.keyboard.press("Tab")
            if page.evaluate("Boolean(document.activeElement.closest('.gg-answer'))"):
                break
        page.keyboard.press("Enter")
        page.wait_for_url("**/gotchas/triton-fp8e4nv-below-sm89/")
        assert page.get_by_role("heading", name="What to do now").is_visible()


def test_a_dropped_file_is_searched_whole(start: Visit, tmp_path: Path) -> None:
    log = tmp_path / "server <b>.log"
    log.write_bytes(b"INFO all is well\r\n" * 50_000 + ERROR.encode() + b"\n")
    start.page.set_input_files("input[type=file]", str(log))
    wait_for(start, "this-is-it")
    assert "server <b>.log: 50002 lines" in start.page.inner_text(".gg-took")


def test_utf16_as_powershell_writes_it_is_read(start: Visit, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(ERROR.encode("utf-16"))
    start.page.set_input_files("input[type=file]", str(log))
    wait_for(start, "this-is-it")


def test_markup_control_characters_and_an_endless_line_stay_text(start: Visit) -> None:
    page = start.page
    page.on("dialog", lambda dialog: start.said.append(f"ran: {dialog.message}"))
    page.evaluate(
        """text => { const box = document.querySelector("#paste"); box.value = text;
                     box.dispatchEvent(new Event("input")); }""",
        f"{MARKUP}{'x' * 1_000_000}\n{MARKUP} {ERROR}",
    )
    page.wait_for_selector(".gg-verdict", timeout=20_000)
    assert page.locator(".gg-answer :is(img, script, b)").count() == 0
    assert "<img src=x onerror=alert(1)>" in page.inner_text(".gg-rests")
    assert start.said == []


def test_what_is_not_known_says_so_and_what_to_collect(start: Visit) -> None:
    start.page.fill("#paste", "the kettle of the office boils over")
    wait_for(start, "not-known")
    assert "nvidia-smi" in start.page.inner_text(".gg-answer")
    assert start.page.locator(".gg-answer h3").count() == 0


def test_without_a_script_the_page_says_what_to_do_instead(browser: Browser) -> None:
    with browser.visit(java_script_enabled=False) as visit:
        assert not visit.page.locator(".gg-paste form").is_visible()
        assert "gotchas search" in visit.page.inner_text(".gg-paste")


def test_where_the_index_cannot_be_had_it_says_so(browser: Browser) -> None:
    with browser.visit() as visit:
        visit.page.route("**/search.json", lambda route: route.fulfill(status=404))
        visit.page.fill("#paste", ERROR)
        visit.page.wait_for_selector(".gg-answer a[href='gotchas/']")
        assert "could not run" in visit.page.inner_text(".gg-answer")


def test_search_json_holds_no_more_than_it_needs(shipped_site: Path) -> None:
    said = json.loads((shipped_site / "search.json").read_text("utf-8"))
    assert said["version"] == 1
    assert len(said["records"]) == len(said["ids"])

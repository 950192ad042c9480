"""The whole site through mkdocs: no warning, no request to another host, nothing but text from records."""

from __future__ import annotations

import ast
import posixpath
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.markdown import visible
from tests.site.building import build
from tests.site.hostile import FRAGMENTS
from tests.site.rendering import ROOT, Document, bare, read
from tests.site.samples import candidate, case, gotcha, hostile, knowledge, nvidia

pytest.importorskip("material")

ALL = "".join(f"{part} " for part in FRAGMENTS)
# Elements that load something, with the attribute that says what.
LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data",
         "embed": "src", "video": "src", "audio": "src", "form": "action"}  # fmt: skip
TITLES = ["</title><script>alert(1)</script>", "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;",
          "{{ config }} {% raw %}", '" onload="alert(1)', "[x](javascript:alert(1)) | `y"]  # fmt: skip


def hostile_knowledge() -> Knowledge:
    whole = hostile(ALL)
    named = replace(
        whole.gotcha, concepts=("invented",), affects=(case(nvidia(">=8.9"), software={"vllm": ()}),)
    )
    return knowledge(
        replace(whole, gotcha=named),
        *(Entry(gotcha(f"sample-title-{place}", title=title)) for place, title in enumerate(TITLES)),
        candidates=(
            candidate(),
            candidate(
                "sample-hostile-belief", title=ALL, symptom=ALL, believed=ALL, because=ALL, repro_wanted=ALL
            ),
        ),
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("site"), hostile_knowledge())


def pages(site: Path) -> dict[str, Document]:
    """Addresses that only lead on are none of the theme's pages."""
    found = {
        path.relative_to(site).as_posix(): read(path.read_text("utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
    return {path: page for path, page in found.items() if not _leads_on(page)}


def _leads_on(page: Document) -> bool:
    return any(tag.attributes.get("http-equiv") == "refresh" for tag in page.all("meta"))


def test_the_site_as_mkdocs_builds_it(site: Path) -> None:
    """One test, since the build takes most of its time."""
    found = pages(site)
    assert len(found) > 25
    for path, page in found.items():
        _asks_no_other_host(path, page)
        _runs_nothing_from_a_record(path, page)
    _shows_hostile_text(found)
    _has_files_for_programs(site)
    _is_light(site)


def _asks_no_other_host(path: str, page: Document) -> None:
    (policy,) = [
        tag.attributes["content"]
        for tag in page.all("meta")
        if tag.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';"), path
    assert "unsafe" not in policy
    assert "http" not in policy
    for tag in page.tags:
        if tag.name in LOADS:
            said = tag.attributes.get(LOADS[tag.name], "")
            assert not re.match(r"[a-z]+:|//", said), f"{path} loads {said}"
        assert "style" not in tag.attributes, f"{path}: the policy allows no style here: {tag}"


OF_ONE_PAGE = {"index.html": ["paste"], "gotchas/index.html": ["table"]}


def _runs_nothing_from_a_record(path: str, page: Document) -> None:
    found = [posixpath.basename(tag.attributes["src"]) for tag in page.all("script")]
    assert found == [f"{name}.js" for name in ["page", *OF_ONE_PAGE.get(path, [])]], path
    for tag in page.tags:
        assert not [name for name in tag.attributes if name.startswith("on")], f"{path}: {tag}"
        assert not tag.attributes.get("href", "").startswith("javascript:"), path
        assert not tag.name.startswith("!"), f"{path}: {tag}"


def _shows_hostile_text(found: dict[str, Document]) -> None:
    assert bare(visible(ALL)) in bare(found["gotchas/sample-hostile/index.html"].text)
    assert bare(visible(ALL)) in bare(found["candidates/index.html"].text)
    assert TITLES[0] in found["index.html"].text
    for place, title in enumerate(TITLES):
        page = found[f"gotchas/sample-title-{place}/index.html"]
        assert page.titles == [f"{title} - GPU gotchas"]
        for listed in ("gotchas/index.html", "matrix/index.html", "gpus/sm_89/index.html"):
            assert title in found[listed].text, listed


def _has_files_for_programs(site: Path) -> None:
    assert (site / "index.json").is_file()
    assert (site / "gotchas" / "sample-full.json").is_file()
    assert "def bug(target)" in (site / "gotchas" / "sample-full" / "index.html").read_text("utf-8")
    assert (site / "gotchas" / "sample-full.md.txt").read_text("utf-8").startswith("# ")
    assert (site / "feed.xml").is_file()
    assert (site / "llms.txt").is_file()
    led = read((site / "gotchas" / "sample-believed" / "index.html").read_text("utf-8"))
    (link,) = led.all("a")
    assert link.attributes["href"] == "../../candidates/#sample-believed"
    assert (site / "candidates" / "index.html").is_file()


def _is_light(site: Path) -> None:
    """What the theme adds to a page, which each of a thousand pages pays."""
    page = (site / "gotchas" / "sample-plain" / "index.html").read_text("utf-8")
    before, _, rest = page.partition("<main")
    assert len(before) + len(rest.partition("</main>")[2]) < 2_000
    assert "<pre" in page
    assert not list(site.rglob("*.map"))
    assert not list(site.glob("assets/javascripts/**/*.js"))


def test_the_navigation_is_short() -> None:
    """Each entry stands on every page."""
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    assert 8 <= len(nav) <= 12


def test_no_plugin_and_a_hook_that_makes_nothing() -> None:
    given = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    assert given["plugins"] == []
    assert given["hooks"] == ["overrides/lean.py"]
    hook = ast.parse((ROOT / "overrides" / "lean.py").read_text("utf-8"))
    assert [one.name for one in hook.body if isinstance(one, ast.FunctionDef)] == ["on_files"]
    assert "repo_url" not in given  # the theme would ask its host for stars

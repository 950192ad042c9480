"""All files of the site: complete, linked, never two in one place, and never over somebody else's."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.site.build import SiteError, files, read_written, write
from gpu_gotchas.site.knowledge import Entry
from gpu_gotchas.site.start_page import MissingMarker
from tests.site.rendering import ROOT
from tests.site.samples import case, gotcha, knowledge, written

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HTML_LINK = re.compile(r'href="([^"]+)"')


def site() -> dict[str, str]:
    made = files(knowledge(), read_written(ROOT / "docs"))
    return {path: content.decode("utf-8") for path, content in made.items()}


def test_every_link_inside_the_site_resolves() -> None:
    made = site()
    checked = 0
    for path, text in made.items():
        if not path.endswith(".md"):
            continue
        for target in _LINK.findall(text):
            if target.startswith("https://"):
                continue
            file, _, anchor = target.partition("#")
            found = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
            assert found in made, f"{path} links to {target}"
            assert not anchor or f"{{#{anchor}}}" in made[found] or f'id="{anchor}"' in made[found], (
                f"{path} links to {target}"
            )
            checked += 1
    assert checked > 100


def test_links_in_html_resolve_as_addresses() -> None:
    """mkdocs leaves these alone, so they must be what a browser needs: pages are folders."""
    made = site()
    targets = _HTML_LINK.findall(made["matrix.md"])
    assert targets
    for target in targets:
        address = posixpath.normpath(posixpath.join("matrix", target))
        assert f"{address}.md" in made


def test_each_record_has_a_page_and_a_json_and_each_name_a_page() -> None:
    made = site()
    for path in (
        "gotchas/sample-full.md", "gotchas/sample-full.json", "gotchas/sample-retracted.md",
        "index.json", "matrix.md", "gpus/nvidia-gb10.md", "gpus/sm_89.md", "gpus/nvidia-l4/index.html",
        "packages/vllm.md", "concepts/index.md", "settings.md", "symptoms.md", "benchmarks.md",
        "candidates.md", "using.md", "architecture.md", "stylesheets/site.css",
    ):  # fmt: skip
        assert path in made


def test_concepts_of_few_stand_in_the_index_with_what_has_them() -> None:
    index = site()["concepts/index.md"]
    assert (
        '<strong id="shared-memory">shared memory</strong>: '
        "[An invented kernel needs more room than an invented card has](../gotchas/sample-full.md)"
    ) in index
    assert "[An invented belief](../candidates.md#sample-believed) (believed)" in index
    assert "only believed" not in index  # no record has it


def test_a_card_that_nothing_concerns_has_no_page_and_is_listed() -> None:
    made = site()
    assert "gpus/amd-mi300x.md" not in made
    assert "| MI300X | `gfx942` |" in made["gpus/index.md"]


def test_a_site_without_records_is_whole() -> None:
    from gpu_gotchas.site.knowledge import Knowledge

    made = files(Knowledge((), (), "2026-11-30"), written())
    assert "gotchas/index.md" in made
    assert b"There is none" in made["candidates.md"]


def test_the_same_input_gives_the_same_bytes() -> None:
    assert site() == site()


@pytest.mark.parametrize(
    "record",
    [
        gotcha("index"),
        gotcha("sample-FULL"),
        gotcha("../x"),
        gotcha("sample-new", affects=(case(software={"../../x": ()}),)),
        gotcha("sample-new", aliases=("sample-full",)),
    ],
)
def test_no_page_takes_the_place_of_another_or_leaves_the_folder(record: Gotcha) -> None:
    with pytest.raises(SiteError, match=r"two pages want|is no path"):
        files(knowledge(Entry(record)), written())


def test_a_generated_page_does_not_replace_a_written_one() -> None:
    with pytest.raises(SiteError, match=r"two pages want to be matrix\.md"):
        files(knowledge(), {**written(), "matrix.md": b"# Mine\n"})


@pytest.mark.parametrize(
    "lost", ["<!-- paste -->", "<!-- counts -->", "<!-- newest -->", "<!-- most reported -->"]
)
def test_the_start_page_must_have_room_for_what_is_generated(lost: str) -> None:
    text = written()["index.md"].decode().replace(lost, "")
    with pytest.raises(MissingMarker, match=re.escape(lost)):
        files(knowledge(), {"index.md": text.encode()})


def test_without_a_start_page_there_is_no_site() -> None:
    with pytest.raises(SiteError, match=r"index\.md"):
        files(knowledge(), {})


def test_writing_twice_leaves_nothing_of_the_first_time(tmp_path: Path) -> None:
    write(tmp_path / "out", {"a/old.md": b"x", "same.md": b"1"})
    write(tmp_path / "out", {"same.md": b"2"})
    found = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.md")}
    assert found == {"same.md"}
    assert (tmp_path / "out" / "same.md").read_bytes() == b"2"


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.md").write_text("years of work")
    with pytest.raises(SiteError, match="empty or a new folder"):
        write(tmp_path, {"index.md": b"x"})
    assert (tmp_path / "thesis.md").read_text() == "years of work"
    with pytest.raises(SiteError, match="is a file"):
        write(tmp_path / "thesis.md", {})


def test_no_docs_no_site(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match="hand-written pages"):
        read_written(tmp_path / "docs")


def test_a_page_of_a_thousand_is_as_long_as_of_five() -> None:
    """What grows with the number of records stands on index pages only."""
    more = [Entry(replace(gotcha(f"sample-more-{number}"), concepts=("many",))) for number in range(300)]
    few, many = files(knowledge(), written()), files(knowledge(*more), written())
    assert few["gotchas/sample-full.md"] == many["gotchas/sample-full.md"]

"""The files beside the pages: each whole, well formed with any text inside, and without withdrawn advice."""

from __future__ import annotations

import json
import posixpath
import re
from dataclasses import replace
from urllib.parse import urldefrag
from xml.etree import ElementTree

import pytest
from hypothesis import given

from gpu_gotchas.records.model import Event, Status
from gpu_gotchas.site.build import files
from gpu_gotchas.site.feeds.atom import atom
from gpu_gotchas.site.feeds.llms import llms_txt
from gpu_gotchas.site.feeds.markdown_copy import markdown_copy
from gpu_gotchas.site.feeds.redirects import redirects
from gpu_gotchas.site.feeds.signatures import signatures
from gpu_gotchas.site.knowledge import Entry
from gpu_gotchas.site.links import Sitemap
from gpu_gotchas.site.markdown import visible
from tests.site.hostile import texts
from tests.site.rendering import read
from tests.site.samples import candidate, full, gotcha, hostile, knowledge, written

ATOM = "{http://www.w3.org/2005/Atom}"


@given(texts)
def test_the_feed_is_well_formed_whatever_a_record_says(raw: str) -> None:
    tree = ElementTree.fromstring(atom(knowledge(hostile(raw))))
    (entry,) = [
        one
        for one in tree.iter(f"{ATOM}entry")
        if one.find(f"{ATOM}link").get("href") == "gotchas/sample-hostile/"  # type: ignore[union-attr]
    ]
    assert (entry.findtext(f"{ATOM}title") or "").split() == visible(raw).split()


def test_the_feed_has_what_rfc_4287_asks_for_and_ids_last() -> None:
    tree = ElementTree.fromstring(atom(knowledge()))
    entries = list(tree.iter(f"{ATOM}entry"))
    assert len(entries) == len(knowledge().entries)
    for one in [tree, *entries]:
        assert all(one.find(f"{ATOM}{name}") is not None for name in ("id", "title", "updated"))
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00Z", one.findtext(f"{ATOM}updated") or "")
    assert tree.find(f"{ATOM}author") is not None
    ids = [one.findtext(f"{ATOM}id") for one in entries]
    assert len(set(ids)) == len(ids)


def test_a_changed_record_comes_first_and_says_what_changed() -> None:
    changed = replace(
        gotcha("sample-changed"), history=(Event("2027-01-01", "Half of it.", "The other half."),)
    )
    first = next(ElementTree.fromstring(atom(knowledge(Entry(changed)))).iter(f"{ATOM}entry"))
    assert first.findtext(f"{ATOM}updated") == "2027-01-01T00:00:00Z"
    assert first.findtext(f"{ATOM}summary") == "Draft, changed: The other half."


def test_signatures_are_all_there_with_what_they_rest_on() -> None:
    found = json.loads(signatures(knowledge()))
    assert {"version", "generated", "licence"} <= found.keys()
    ids = {one["id"] for one in found["signatures"]}
    assert {"sample-full", "sample-believed"} <= ids
    for one in found["signatures"]:
        assert one["lines"]
        assert one["basis"] in ("proven", "reported")
        assert (one["status"] == "candidate") == (one["id"] == "sample-believed")


def test_the_markdown_copy_says_what_the_page_says() -> None:
    said = markdown_copy(full(), knowledge())
    record = full().gotcha
    assert said.startswith(f"# {record.title}\n")
    for piece in (record.root_cause, record.symptom.signatures[0].lines[0], record.workaround[0].do,
                  record.reports[0].url, record.siblings[0].tell_apart, record.history[0].why):  # fmt: skip
        assert piece.strip() in said, piece
    assert "from gpu_gotchas.fixes" in said


def test_the_markdown_copy_gives_no_withdrawn_advice() -> None:
    gone = replace(full().gotcha, status=Status.RETRACTED, successor="sample-believed")
    said = markdown_copy(Entry(gone), knowledge())
    assert "What to do now" not in said
    assert "The fix" not in said
    assert "See sample-believed instead" in said


@given(texts)
def test_nothing_that_does_not_print_is_in_a_text_file(raw: str) -> None:
    whole = knowledge(hostile(raw))
    for said in (markdown_copy(hostile(raw), whole), llms_txt(whole)):
        assert all(one == "\n" or one.isprintable() for one in said)


def test_llms_txt_lists_what_stands_and_leads_to_files_that_are_there() -> None:
    made = files(knowledge(), written())
    said = made["llms.txt"].decode()
    assert said.startswith("# ")
    assert "sample-retracted" not in said
    addresses = re.findall(r"\]\(([^)]+)\)", said)
    assert len(addresses) > 5
    for address in addresses:
        path = urldefrag(address).url
        assert path in made or f"{path.rstrip('/')}.md" in made, address


@pytest.mark.parametrize("name", ["sample-old", "sample-older"])
def test_an_older_name_leads_to_the_page(name: str) -> None:
    known = knowledge(
        Entry(gotcha("sample-renamed", aliases=("sample-old",))),
        candidates=(candidate("sample-believed", aliases=("sample-older",)),),
    )
    found = dict(redirects(known, {}))
    path = f"gotchas/{name}/index.html"
    page = read(found[path])
    (link,) = page.all("a")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link.attributes["href"]))
    assert (
        target
        == {"sample-old": "gotchas/sample-renamed", "sample-older": "candidates/#sample-believed"}[name]
    )
    (refresh,) = [tag for tag in page.all("meta") if tag.attributes.get("http-equiv") == "refresh"]
    assert refresh.attributes["content"] == f"0; url={link.attributes['href']}"
    assert path in files(known, written())


def test_a_card_that_shares_a_page_leads_there() -> None:
    known = knowledge()
    found = dict(redirects(known, Sitemap(known).gpu_pages))
    (link,) = read(found["gpus/nvidia-rtx-4070/index.html"]).all("a")
    assert link.attributes["href"] == "../../gpus/sm_89/"
    assert "gpus/nvidia-gb10/index.html" not in found  # somebody reported something on it

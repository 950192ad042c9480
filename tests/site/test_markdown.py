"""Whatever goes in comes out as text, in every place where a page puts it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gpu_gotchas.site import markdown as md
from tests.site.hostile import FRAGMENTS, texts
from tests.site.rendering import bare, flat, read, render

PLACES: dict[str, tuple[Callable[[str], str], list[str]]] = {
    "paragraph": (md.text, ["p"]),
    "after a word": (lambda raw: f"Said: {md.text(raw)}", ["p"]),
    "heading": (lambda raw: f"# {md.text(raw)}", ["h1"]),
    "heading with an id": (lambda raw: f"## {md.text(raw)} {{#known}}", ["h2"]),
    "list": (lambda raw: md.bullets([md.text(raw), md.text(raw)]), ["ul", "li", "li"]),
    "bold": (lambda raw: f"Now **x{md.text(raw)}x** then", ["p", "strong"]),
    "chip": (lambda raw: f'<span class="gg-chip">{md.text(raw)}</span>', ["p", "span"]),
    "code in HTML": (lambda raw: f"x <code>{md.text(raw)}</code>", ["p", "code"]),
    "code": (lambda raw: f"x {md.code(raw)}", ["p", "code"]),
    "table": (
        lambda raw: md.table(["A", "B"], [[md.text(raw), md.code(raw)]]),
        ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td", "code"],
    ),
    "link": (lambda raw: md.link(f"x{md.text(raw)}", "https://example.org/a"), ["p", "a"]),
    "block": (lambda raw: md.block("facts", f"x{md.text(raw)}"), ["div", "p"]),
    "summary": (lambda raw: md.details(f"x{md.text(raw)}", "rest"), ["details", "summary", "p"]),
    "folded words": (
        lambda raw: f"- x <details><summary>words</summary><code>{md.text(raw)}</code></details>",
        ["ul", "li", "details", "summary", "code"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@given(raw=texts.filter(lambda raw: bool(raw.split())))
def test_text_stays_text_wherever_it_stands(place: str, raw: str) -> None:
    put, tags = PLACES[place]
    document = read(render(put(raw)))
    assert [tag.name for tag in document.tags] == tags
    assert flat(md.visible(raw)) in document.text
    assert all(set(tag.attributes) <= {"id", "class", "href"} for tag in document.tags)


@given(raw=texts)
def test_a_code_block_holds_its_text_to_the_letter(raw: str) -> None:
    body = md.fence(f"x{raw}x")
    for block in (body, md.details("more", body), f"Before.\n\n{body}\n\nAfter."):
        document = read(render(block))
        assert {tag.name for tag in document.tags} <= {"pre", "code", "details", "summary", "p"}
        assert len(document.all("pre")) == 1
        assert flat(md.visible(f"x{raw}x".replace("\r\n", "\n"))) in document.text


@given(raw=texts)
@example(raw="a\n\n# b")
def test_prose_is_paragraphs_and_code_only(raw: str) -> None:
    document = read(render(md.prose(raw)))
    assert {tag.name for tag in document.tags} <= {"p", "code"}
    assert bare(document.text) == bare(md.visible(raw))


@given(raw=texts)
@example(raw="`")
@example(raw="a `b` c`d`")
@example(raw="``` ` ```")
def test_a_sentence_is_text_and_code_only(raw: str) -> None:
    document = read(render(f"x {md.sentence(raw)}"))
    assert {tag.name for tag in document.tags} <= {"p", "code"}
    assert bare(document.text) == bare(f"x {md.visible(raw)}")


def test_a_pair_of_backticks_in_prose_is_code() -> None:
    assert md.sentence("Keep it at `auto`, or `a|b` .") == "Keep it at `auto`, or <code>a&#124;b</code> ."


@pytest.mark.parametrize("raw", FRAGMENTS)
def test_front_matter_is_yaml_and_holds_html(raw: str) -> None:
    import yaml

    found = yaml.safe_load(md.front_matter(raw, raw).removeprefix("---\n").removesuffix("\n---"))
    for value, shown in ((found["title"], flat(md.visible(raw))), (found["description"], md.shortened(raw))):
        document = read(f'<title>{value}</title><meta content="{value}">')
        assert [tag.name for tag in document.tags] == ["title", "meta"]
        assert document.titles == [shown]
        assert document.tags[1].attributes == {"content": shown}


@given(raw=st.text())
def test_a_shortened_text_is_one_line_of_its_beginning(raw: str) -> None:
    whole, short = flat(md.visible(raw)), md.shortened(raw)
    assert len(short) <= 162
    assert short == whole or (len(whole) > 160 and whole.startswith(short.removesuffix(" …")))


@given(raw=st.text())
def test_what_does_not_print_is_spelt_out(raw: str) -> None:
    shown = md.visible(raw)
    assert all(one == "\n" or one.isprintable() for one in shown)
    shown.encode("utf-8")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a_b(c)*d*e?x=1&copy=2#f",
        "https://example.org",
        "https://example.org/~a/'b'!$c",
    ],
)
def test_a_link_leads_where_it_says(url: str) -> None:
    from urllib.parse import unquote

    (tag,) = read(render(md.link("here", url))).all("a")
    assert unquote(tag.attributes["href"]) == url


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "http://example.org",
        "https://example.org/a b",
        'https://example.org/"onmouseover=x',
        "https://example.org)[x](javascript:x",
        "data:text/html,x",
        "",
    ],
)
def test_no_link_without_https(url: str) -> None:
    document = read(render(md.link("here", url)))
    assert document.all("a") == []
    assert flat(url) in document.text


def test_plain_words_read_well_in_the_source() -> None:
    assert md.text("vLLM 0.20.0 ends with torch.OutOfMemoryError (snake_case).") == (
        "vLLM 0.20.0 ends with torch.OutOfMemoryError (snake_case)."
    )
    assert md.code("gpu_gotchas.fixes.launch_fit") == "`gpu_gotchas.fixes.launch_fit`"


def test_an_empty_table_is_nothing() -> None:
    assert md.table(["A"], []) == ""

"""Markdown as mkdocs would render it, and what is in the HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import markdown
import yaml

ROOT = Path(__file__).resolve().parents[2]
_VOID = {"br", "hr", "img", "input", "link", "meta"}


@cache
def _extensions() -> tuple[list[str], dict[str, Any]]:
    """The extensions of mkdocs.yml."""
    given = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["markdown_extensions"]
    named = {
        name: options
        for one in given
        for name, options in (one.items() if isinstance(one, dict) else [(one, {})])
    }
    return list(named), {name: options for name, options in named.items() if options}


def render(text: str) -> str:
    """The HTML of a page, without its front matter."""
    if text.startswith("---\n"):
        text = text.split("\n---\n", 1)[1]
    names, options = _extensions()
    return markdown.markdown(text, extensions=names, extension_configs=options)


@dataclass
class Tag:
    name: str
    attributes: dict[str, str]


@dataclass
class Document:
    """Every element in order, and all text outside of scripts, one space for any run of white space."""

    tags: list[Tag] = field(default_factory=list)
    text: str = ""
    titles: list[str] = field(default_factory=list)

    def all(self, name: str) -> list[Tag]:
        return [tag for tag in self.tags if tag.name == name]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.document = Document()
        self.open: list[str] = []
        self.pieces: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.document.tags.append(Tag(tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self.open.append(tag)
        if tag == "title":
            self.document.titles.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if "script" in self.open or "style" in self.open:
            return
        self.pieces.append(data)
        if self.open[-1:] == ["title"]:
            self.document.titles[-1] += data

    def handle_comment(self, data: str) -> None:
        self.document.tags.append(Tag("!comment", {"data": data}))

    def unknown_decl(self, data: str) -> None:
        self.document.tags.append(Tag("!declaration", {"data": data}))

    def handle_pi(self, data: str) -> None:
        self.document.tags.append(Tag("!instruction", {"data": data}))


def read(html: str) -> Document:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.document.text = flat("".join(reader.pieces))
    return reader.document


def flat(text: str) -> str:
    return " ".join(text.split())


def bare(text: str) -> str:
    """What is left when backticks may have become code."""
    return "".join(text.replace("`", "").split())

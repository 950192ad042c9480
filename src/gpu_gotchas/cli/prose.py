"""Headings, wrapped prose and lists, for whatever prints more than a line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from gpu_gotchas.cli.terminal import Terminal, bold

INDENT = "  "


def heading(terminal: Terminal, text: str) -> None:
    terminal.line()
    terminal.line(bold(text))


def prose(terminal: Terminal, text: str, first: str = INDENT, rest: str = INDENT) -> None:
    """Paragraphs, wrapped to the terminal's width. Words and links are never cut."""
    for number, paragraph in enumerate(text.strip().split("\n\n")):
        if number:
            terminal.line()
        wrapped = textwrap.wrap(
            " ".join(paragraph.split()),
            terminal.width,
            initial_indent=first if number == 0 else rest,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in wrapped:
            terminal.line(line)


# How a sentence may begin that loses its capital within another. Names keep theirs.
_BEGINNINGS = frozenset(
    {
        "A", "An", "At", "By", "Every", "For", "He", "How", "If", "In", "It", "Its", "Most", "No", "Nobody",
        "None", "Not", "Nothing", "On", "One", "Only", "Our", "She", "Since", "Some", "That", "The", "Their",
        "There", "These", "They", "This", "Those", "Two", "We", "What", "When", "Where", "With",
    }
)  # fmt: skip


def after_because(sentence: str) -> str:
    """A sentence as it goes on after `because`."""
    first = sentence.split(maxsplit=1)[:1]
    return sentence[:1].lower() + sentence[1:] if first and first[0] in _BEGINNINGS else sentence


def item(terminal: Terminal, text: str) -> None:
    prose(terminal, text, first=f"{INDENT}- ", rest=f"{INDENT}  ")


def section(terminal: Terminal, title: str, items: Iterable[str]) -> None:
    """A heading with a list below, or nothing when the list is empty."""
    texts = [text for text in items if text]
    if texts:
        heading(terminal, title)
        for text in texts:
            item(terminal, text)

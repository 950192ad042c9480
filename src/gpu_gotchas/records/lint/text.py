"""Rules about wording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from gpu_gotchas.records.lint.base import Entry, Finding, each_entry
from gpu_gotchas.records.lint.places import prose, templates

_MENTION = re.compile(r"(?<![\w`/.@-])@[A-Za-z0-9][\w-]*")
_CODE = re.compile(r"`[^`\n]*`")
_SHELL = r"(?:sudo\s+(?:-\S+\s+)*)?(?:\S*/)?(?:env\s+)?(?:(?:ba|da|k|z|fi|pw)?sh|python[0-9.]*|perl|ruby|node|iex)\b"
_FETCH = r"\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod)\b"
_PIPED = re.compile(
    rf"{_FETCH}[^\n|]*\|\s*{_SHELL}|(?:\b(?:ba|da|k|z)?sh|\beval|\bsource)\b[^\n]*[<$`]\(?\s*{_FETCH}",
    re.IGNORECASE,
)
_BLANK = re.compile(r"\b(TODO|FIXME|FILL|TBD)\b")


@each_entry
def title_has_no_full_stop(entry: Entry) -> Iterator[Finding]:
    """A title is a line in a list, and is quoted inside sentences."""
    if entry.title.endswith((".", "!", ":", ";")):
        yield Finding("title", f"ends with {entry.title[-1]!r}: take it out")


@each_entry
def nobody_is_mentioned(entry: Entry) -> Iterator[Finding]:
    """A bare @name calls a stranger into every issue and commit that quotes the record."""
    for place, text in prose(entry):
        found = _MENTION.search(_CODE.sub("", text))
        if found:
            yield Finding(
                place, f"{found.group()} would notify somebody: leave the @ out, or put code in `backticks`"
            )


@each_entry
def no_download_into_a_shell(entry: Entry) -> Iterator[Finding]:
    """What a record tells people to run they must be able to read first."""
    for place, text in prose(entry):
        if _PIPED.search(text):
            yield Finding(place, "feeds a download to a shell: download, read, then run")


@each_entry
def no_blank_is_left(entry: Entry) -> Iterator[Finding]:
    """A scaffold's blanks must be filled before a record says anything."""
    for place, text in chain(prose(entry), templates(entry)):
        found = _BLANK.search(text)
        if found or (text and not text.strip(" .…")):
            yield Finding(place, f"still holds {found.group() if found else text!r}: fill it in")

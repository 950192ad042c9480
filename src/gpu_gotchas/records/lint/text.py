"""Rules about wording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from gpu_gotchas.records.lint.base import Entry, Finding, each_entry
from gpu_gotchas.records.lint.places import prose, templates

_MENTION = re.compile(r"(?<![\w`/.@-])@[A-Za-z0-9][\w-]*")
_CODE = re.compile(r"`[^`\n]*`")
_FETCH = re.compile(r"\b(curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b", re.IGNORECASE)
_SUBSTITUTED = re.compile(r"[<$]\(\s*(curl|wget)\b|\biex\b[^\n]*\b(iwr|irm)\b", re.IGNORECASE)
_RUNNERS = {
    "sh",
    "bash",
    "dash",
    "ksh",
    "zsh",
    "fish",
    "pwsh",
    "python",
    "python3",
    "perl",
    "ruby",
    "node",
    "iex",
}
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
        if any(map(_runs_a_download, text.splitlines())):
            yield Finding(place, "feeds a download to a shell: download, read, then run")


def _runs_a_download(line: str) -> bool:
    if _SUBSTITUTED.search(line):
        return True
    source, *sinks = line.split("|")
    return bool(_FETCH.search(source)) and any(_program(sink) in _RUNNERS for sink in sinks)


def _program(command: str) -> str:
    """The program that a command runs, without its folder and what stands before it."""
    words = (word.strip("`'\"();,.") for word in command.lower().split())
    names = (word.rsplit("/", 1)[-1] for word in words if word and not word.startswith("-"))
    return next((name for name in names if name not in ("sudo", "env")), "")


@each_entry
def no_blank_is_left(entry: Entry) -> Iterator[Finding]:
    """A scaffold's blanks must be filled before a record says anything."""
    for place, text in chain(prose(entry), templates(entry)):
        found = _BLANK.search(text)
        if found or (text and not text.strip(" .…")):
            yield Finding(place, f"still holds {found.group() if found else text!r}: fill it in")

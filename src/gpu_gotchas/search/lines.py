"""Bytes to lines, in bounded memory: any encoding error, line ending or line length is survived.

A carriage return ends a line too, so that a progress bar is many short lines and not one endless one.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import NamedTuple

LONGEST_LINE = 16_384
"""Characters. A longer line is handed on in pieces that share its number, so nothing in it is lost."""

# What PowerShell writes when output is redirected, and what begins with it: two bytes to an ASCII character.
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LONGEST_MARK = 4


class Line(NamedTuple):
    """One line of what was pasted. number counts from 1."""

    number: int
    text: str


class LineSplitter:
    """Turns chunks of bytes or text into lines. Feed it chunk by chunk, then call `finish`.

    Of blank lines in a row one is handed on; all are counted.
    """

    def __init__(self) -> None:
        self._decoder: codecs.IncrementalDecoder | None = None
        self._head = b""
        self._rest = ""
        self._number = 1
        self._after_return = False
        self._blank = False

    def feed(self, chunk: bytes) -> list[Line]:
        """The lines that this chunk completes."""
        if self._decoder is None:
            self._head += chunk
            if len(self._head) < _LONGEST_MARK:
                return []
            chunk, self._head = self._head, b""
            self._decoder = _decoder_for(chunk)
        return self.feed_text(self._decoder.decode(chunk))

    def feed_text(self, text: str) -> list[Line]:
        if self._after_return and text.startswith("\n"):
            text, self._after_return = text[1:], False
        if text:
            self._after_return = text.endswith("\r")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        parts = (self._rest + text).split("\n")
        self._rest = parts.pop()
        lines: list[Line] = []
        for part in parts:
            if part and not part.isspace():
                self._blank = False
                lines.extend(self._pieces(part))
            elif not self._blank:  # of blank lines the first, as millions tell no more
                self._blank = True
                lines.append(Line(self._number, ""))
            self._number += 1
        while len(self._rest) > LONGEST_LINE:
            lines.append(Line(self._number, self._rest[:LONGEST_LINE]))
            self._rest = self._rest[LONGEST_LINE:]
        return lines

    def finish(self) -> list[Line]:
        """What was left without a line ending."""
        if self._decoder is None:
            self._decoder = _decoder_for(self._head)
        lines = self.feed_text(self._decoder.decode(self._head, final=True))
        self._head = b""
        if self._rest:
            lines.extend(self._pieces(self._rest))
        self._rest = ""
        return lines

    def _pieces(self, text: str) -> Iterator[Line]:
        if len(text) <= LONGEST_LINE:
            yield Line(self._number, text)
            return
        for start in range(0, len(text), LONGEST_LINE):
            yield Line(self._number, text[start : start + LONGEST_LINE])


def lines_of(chunks: Iterable[bytes]) -> Iterator[Line]:
    """Every line of a stream of bytes, as it completes."""
    splitter = LineSplitter()
    for chunk in chunks:
        yield from splitter.feed(chunk)
    yield from splitter.finish()


def is_utf16(start: bytes) -> bool:
    """Whether a text that begins so is what PowerShell writes when output is redirected."""
    return start.startswith(_UTF16) and 0 in start[2:_LONGEST_MARK]


def _decoder_for(start: bytes) -> codecs.IncrementalDecoder:
    encoding = "utf-16" if is_utf16(start) else "utf-8-sig"
    return codecs.getincrementaldecoder(encoding)("replace")

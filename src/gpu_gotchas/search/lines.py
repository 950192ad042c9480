"""Bytes to lines, in bounded memory: any encoding error, line ending or line length is survived.

A carriage return ends a line too, so that a progress bar is many short lines and not one endless one.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import AnyStr, NamedTuple

LONGEST_LINE = 16_384
"""Characters. A longer line is handed on in pieces that share its number."""

OVERLAP = 4_096
"""Characters that a piece has in common with the one before: what needs no more is whole in one of them."""

# What PowerShell writes when output is redirected: two bytes to an ASCII character, mostly behind a mark.
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MARKED = 4
_HEAD = 256
"""Bytes from which an encoding without a mark is told."""


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
            encoding = encoding_of(self._head)
            if encoding is None:
                return []
            chunk, self._head = self._head, b""
            self._decoder = decoder(encoding)
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
        *whole, self._rest = pieces(self._rest)
        lines.extend(Line(self._number, piece) for piece in whole)
        return lines

    def finish(self) -> list[Line]:
        """What was left without a line ending."""
        if self._decoder is None:
            self._decoder = decoder(encoding_of(self._head, final=True) or "utf-8-sig")
        lines = self.feed_text(self._decoder.decode(self._head, final=True))
        self._head = b""
        if self._rest:
            lines.extend(self._pieces(self._rest))
        self._rest = ""
        return lines

    def _pieces(self, text: str) -> Iterator[Line]:
        return (Line(self._number, piece) for piece in pieces(text))


def pieces(text: AnyStr) -> Iterator[AnyStr]:
    """A line in pieces of at most LONGEST_LINE, each with the end of the one before."""
    start = 0
    while len(text) - start > LONGEST_LINE:
        yield text[start : start + LONGEST_LINE]
        start += LONGEST_LINE - OVERLAP
    yield text[start:]


def lines_of(chunks: Iterable[bytes]) -> Iterator[Line]:
    """Every line of a stream of bytes, as it completes."""
    splitter = LineSplitter()
    for chunk in chunks:
        yield from splitter.feed(chunk)
    yield from splitter.finish()


def encoding_of(start: bytes, *, final: bool = False) -> str | None:
    """What a text that begins so is written in, None while more must be seen. final: nothing more comes.

    UTF-16 is told by its mark, or by a zero in every pair of the first bytes, on one side throughout.
    """
    if len(start) < _MARKED and not final:
        return None
    if start.startswith(_MARKS) and 0 in start[2:_MARKED]:
        return "utf-16"
    head = start[:_HEAD]
    for zeros, letters, name in ((1, 0, "utf-16-le"), (0, 1, "utf-16-be")):
        if len(head) >= _MARKED and not any(head[zeros::2]) and all(head[letters::2]):
            return name if final or len(head) == _HEAD else None
    return "utf-8-sig"


def decoder(encoding: str) -> codecs.IncrementalDecoder:
    """Of what `encoding_of` says, with bad bytes replaced."""
    return codecs.getincrementaldecoder(encoding)("replace")

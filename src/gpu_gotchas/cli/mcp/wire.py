"""Standard input as the SDK can read it: an escaped half of a surrogate pair, as a log that was cut in the
middle of an emoji holds, is replaced. The SDK drops a request with one, and its client waits for ever."""

from __future__ import annotations

import io
import os
import re
from typing import BinaryIO

_ESCAPES = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def whole(line: bytes) -> bytes:
    """A line of JSON without halves of surrogate pairs."""
    return _ESCAPES.sub(lambda found: rb"\ufffd" if found["half"] else found[0], line)


class Wire(io.RawIOBase):
    """A stream of lines, each made whole."""

    def __init__(self, lines: BinaryIO) -> None:
        self._lines = lines
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        self._rest = self._rest or whole(self._lines.readline())
        taken, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


def standard_input() -> io.TextIOWrapper:
    """What to put for `sys.stdin`. Descriptor 0 then reads nothing, so that no child takes from the wire."""
    private = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return io.TextIOWrapper(io.BufferedReader(Wire(private)), encoding="utf-8", errors="replace")

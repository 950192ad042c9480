"""The one way to the terminal. Whatever is printed goes through here, so that nothing from a log or a record
can move the cursor, change colours, reorder text or hide."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple, TextIO

_WIDEST = 100
_NARROWEST = 40


class Style(Enum):
    BOLD = "1"
    DIM = "2"
    GOOD = "32"
    WARN = "33"
    BAD = "31"


class Styled(NamedTuple):
    text: str
    style: Style


Part = str | Styled


def bold(text: str) -> Styled:
    return Styled(text, Style.BOLD)


def dim(text: str) -> Styled:
    return Styled(text, Style.DIM)


def safe(text: str) -> str:
    """One line in which everything that does not print is spelt out (`\\x1b`, `\\u202e`)."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _spell(character) for character in text)


def _spell(character: str) -> str:
    if character in "\t\u00a0":
        return " "
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class Terminal:
    """Results go to `out`, everything else to `err`."""

    def __init__(self, out: TextIO, err: TextIO, environment: Mapping[str, str]) -> None:
        self._out = out
        self._err = err
        self._colours = {id(stream): _colours(stream, environment) for stream in (out, err)}

    @classmethod
    def standard(cls) -> Terminal:
        """The process's own streams. What their encoding lacks is spelt out instead of failing."""
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")
        return cls(sys.stdout, sys.stderr, os.environ)

    @classmethod
    def beside_a_copy(cls) -> Terminal:
        """As `standard`, for when standard output carries a copy of the input: results go to the other."""
        cls.standard()
        return cls(sys.stderr, sys.stderr, os.environ)

    @property
    def width(self) -> int:
        """Columns to wrap prose at."""
        return max(_NARROWEST, min(_WIDEST, _columns()))

    def line(self, *parts: Part) -> None:
        """One line of the result."""
        self._write(self._out, parts)

    def note(self, *parts: Part) -> None:
        """One line that is no result: progress, advice, an error."""
        self._write(self._err, parts)

    def json(self, value: Any) -> None:
        """The result as one JSON document in ASCII."""
        import json  # most commands print text

        text = json.dumps(value, indent=2).replace("\x7f", "\\u007f")
        self._out.write(text + "\n")

    def flush(self) -> None:
        self._out.flush()
        self._err.flush()

    def _write(self, stream: TextIO, parts: tuple[Part, ...]) -> None:
        colours = self._colours[id(stream)]
        stream.write("".join(_render(part, colours) for part in parts) + "\n")


def _render(part: Part, colours: bool) -> str:
    if isinstance(part, str):
        return safe(part)
    return f"\x1b[{part.style.value}m{safe(part.text)}\x1b[0m" if colours and part.text else safe(part.text)


def _colours(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """NO_COLOR outweighs FORCE_COLOR; without either, colour is for a terminal that can show it."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    if environment.get("TERM") == "dumb" or (sys.platform == "win32" and not environment.get("WT_SESSION")):
        return False
    return stream.isatty()


def _columns() -> int:
    """As `shutil` finds them, which takes as long to load as half of a search."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _WIDEST  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return _WIDEST

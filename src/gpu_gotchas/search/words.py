"""Text to words that carry meaning."""

from __future__ import annotations

import re
from itertools import pairwise

from gpu_gotchas.search.common_words import COMMON_WORDS, ENGLISH
from gpu_gotchas.search.singular import singular

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*(?:[.+][A-Za-z0-9_]+)*")
_PART = re.compile(r"[A-Za-z0-9]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_ADDRESS = re.compile(r"0x[0-9a-f]+|[0-9a-f]{12,}")
_NUMBERED = re.compile(r"\b(errno|xid|cuda error|status|signal)\b\D{0,40}?\b(\d{1,5})\b", re.IGNORECASE)
_TARGET = re.compile(r"(?i)\b(?:sm|compute|cc)[_-]?(\d{2,3})[af]?\b")
_CAPABILITY = re.compile(r"(?i)\bcapability(?: of)?(?: at least)?:?\s*\(?(\d{1,2})[.,]\s?(\d)\b")
_FRAME = re.compile(r'\s*File "([^"]+)", line \d+, in (\S+)')
_PACKAGE = r"(?:site|dist)-packages[/\\](\w+)[/\\]"


def words(text: str) -> list[str]:
    """Words in order, in lower case.

    Underscored and dotted names come whole and in parts, a path as its last part and the package it is of,
    and a number that names an error also with what it numbers (`errno-98`, `xid-79`). `sm120`,
    `compute_120` and `capability 12.0` are `sm_120` too.
    """
    text = _told(text)
    found = [f"{kind.lower().replace(' ', '-')}-{number}" for kind, number in _NUMBERED.findall(text)]
    found += [f"sm_{number}" for number in _TARGET.findall(text)]
    found += [f"sm_{major}{minor}" for major, minor in _CAPABILITY.findall(text)]
    for word in _whole(text):
        found.append(word)
        if not word.isalnum() and not _NUMBER.fullmatch(word):
            parts = (part for part in _PART.findall(word) if len(part) > 1 and not part.isdigit())
            found.extend(map(singular, parts))
    return found


def terms(text: str) -> list[str]:
    """Words, and every pair of neighbours among those that are no plain English and no number: `kernel image`
    is told apart from the same two words elsewhere."""
    kept = [word for word in _whole(_told(text)) if word not in ENGLISH and not _NUMBER.fullmatch(word)]
    return words(text) + [f"{one} {two}" for one, two in pairwise(kept)]


def is_common(word: str) -> bool:
    """Whether a word says nothing about a cause: any log may hold it, or it is a bare number."""
    return word in COMMON_WORDS or len(word) == 1 or _NUMBER.fullmatch(word) is not None


def _told(text: str) -> str:
    """A line as it is, and of a traceback's frame the package, the file and the function."""
    frame = _FRAME.match(text)
    if frame is None:
        return text
    package = re.search(_PACKAGE, frame[1])
    return " ".join((package[1] if package else "", frame[1].replace("\\", "/").rsplit("/", 1)[-1], frame[2]))


def _whole(text: str) -> list[str]:
    found = (match[0].lower().rstrip(".") for match in _WORD.finditer(text))
    return [singular(word) for word in found if not _ADDRESS.fullmatch(word)]

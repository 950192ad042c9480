"""Text to words that carry meaning, and how much each kind of word weighs before any record is counted."""

from __future__ import annotations

import re

from gpu_gotchas.search.common_words import COMMON_WORDS

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*(?:[.+][A-Za-z0-9_]+)*")
_PART = re.compile(r"[A-Za-z0-9]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_ADDRESS = re.compile(r"0x[0-9a-f]+|[0-9a-f]{12,}")
_NUMBERED = re.compile(r"\b(errno|xid|cuda error|status|signal)\b\D{0,40}?\b(\d{1,5})\b", re.IGNORECASE)
_FRAME = re.compile(r'\s*File "([^"]+)", line \d+, in (\S+)')

TECHNICAL, NAME, PLAIN, NUMBER, COMMON = 1.0, 0.6, 0.4, 0.15, 0.04
"""Weights: a technical name, part of one, an English word, a bare number, a word that any log may hold."""


def words(text: str) -> list[str]:
    """Words in order, in lower case.

    Underscored and dotted names come whole and in parts, a path as its last part, and a number that names
    an error also with what it numbers (`errno-98`, `xid-79`).
    """
    frame = _FRAME.match(text)
    if frame:
        text = f"{frame[1].replace(chr(92), '/').rsplit('/', 1)[-1]} {frame[2]}"
    found = [f"{kind.lower().replace(' ', '-')}-{number}" for kind, number in _NUMBERED.findall(text)]
    for match in _WORD.finditer(text):
        word = match[0].lower().rstrip(".")
        if _ADDRESS.fullmatch(word):
            continue
        found.append(word)
        if not word.isalnum() and not _NUMBER.fullmatch(word):
            found.extend(part for part in _PART.findall(word) if len(part) > 1 and not part.isdigit())
    return found


def weight(word: str) -> float:
    """How much a word tells by its form alone."""
    if word in COMMON_WORDS or len(word) == 1:
        return COMMON
    if _NUMBER.fullmatch(word):
        return NUMBER
    if not word.isalpha():
        return TECHNICAL
    return PLAIN


def is_common(word: str) -> bool:
    return word in COMMON_WORDS or len(word) == 1

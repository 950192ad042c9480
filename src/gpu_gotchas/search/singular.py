"""One form of a word for one and for many: who writes `hangs` means what another calls `a hang`."""

from __future__ import annotations

_LEAST = 5
_NO_PLURAL = "sui"
"""`class`, `status`, `axis`."""


def singular(word: str) -> str:
    """A word in lower case without the s of many: `hangs`, `kernels`, `4090s`; any other as it is."""
    if len(word) < _LEAST or word[-1] != "s":
        return word
    stem = word[:-1]
    plain = stem.isascii() and (stem.isdigit() or (stem.isalpha() and stem[-1] not in _NO_PLURAL))
    return stem if plain else word

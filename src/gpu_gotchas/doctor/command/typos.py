"""A flag that is spelt nearly like one that is read: most likely a slip, which the engine refuses.

Engines have hundreds of flags that no setting knows, so that only what is very near to a known one is told.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

_LIKE, _WORD_LIKE = 0.85, 0.75


def meant(flag: str, known: Iterable[str]) -> str | None:
    """The known long flag that `flag` is a slip of, None where none is near.

    Each word must be near its own: `--enable-x` is another flag than `--disable-x`, and so is one that has a
    word more.
    """
    if not flag.startswith("--") or flag.startswith("--no-"):
        return None
    long = sorted({one for one in known if one.startswith("--") and "." not in one})
    near = get_close_matches(flag, long, n=3, cutoff=_LIKE)
    return next((one for one in near if one != flag and _slip(flag, one)), None)


def _slip(flag: str, known: str) -> bool:
    words, wanted = flag[2:].split("-"), known[2:].split("-")
    if len(words) == len(wanted):
        return all(_ratio(*pair) >= _WORD_LIKE for pair in zip(words, wanted, strict=True))
    return flag.replace("-", "") == known.replace("-", "")


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()

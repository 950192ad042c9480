"""Whether a text says that something is there, or only that it is wanted, supported or missing."""

from __future__ import annotations

import re

_NEAR = 80
_WISHED = re.compile(
    r"(?i)\b(?:unless|without|requires?|needs?|only|until|supports?|supported|works? (?:on|with))\b[^.;,]*$"
)


def wished(match: re.Match[str]) -> bool:
    """Whether what was matched stands behind such a word: `hangs unless X=1`, `requires .target sm_80`."""
    return _WISHED.search(match.string[max(0, match.start() - _NEAR) : match.start()]) is not None

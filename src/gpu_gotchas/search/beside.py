"""What a short text says beside an error: that it is gone, or that the text is only about it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpu_gotchas.search.common_words import ENGLISH

MOST = 12
"""Lines. In a longer text such words may be about anything."""

_GONE = (
    r"(?i)\b(?:is|are|was|has been|have been) (?:now |all )?(?:gone|fixed|solved|resolved)\b"
    r"|\b(?:don't|do not|doesn't|does not|didn't|did not|can't|cannot) "
    r"(?:get|see|have|hit|happens?|fails?|occurs?|crash|reproduce|appears?)\b"
    r".{0,40}\b(?:any ?more|any longer|again)\b"
    r"|\bno longer (?:get|see|have|hit|happens?|fails?|occurs?|crashes|appears?|reproduces?)\b"
    r"|\bworks (?:now|again)\b|\bnow (?:it )?works\b"
    r"|\b(?:it|this|that|which|errors?|problem|issue|crash|failure|message) (?:goes|went|has gone) away\b"
    r"|^(?!.*\b(?:failed|errors?)\b).*\b\d+ passed\b|\bApplication startup complete\b"
)
_HEADING = (
    r"(?i)^(?:#{1,6}\s*)?(?:changelog|release notes|what's (?:changed|new)|FAQ\b|frequently asked|Q:"
    r"|bug ?fixes|troubleshooting|known issues|(?:fix|feat|docs|chore|test|refactor)(?:\([^)]{1,60}\))?:"
    r"|commit [0-9a-f]{7,40}\b|Author: .{1,80}<|diff --git |@@ -\d)"
)
_FENCE = r"```\w*$"


def said_beside(lines: Sequence[str], count: int) -> str | None:
    """The line that takes the certainty from what else is there, as a clause. count: of how many lines."""
    if count > MOST:
        return None
    telling = next((text for text in lines if re.search(_GONE, text) or re.search(_HEADING, text)), None)
    if telling is None and _explained(lines):
        return "the text goes on in words behind it"
    return telling and f"beside it stands: {telling[:80]}"


def _explained(lines: Sequence[str]) -> bool:
    """Whether words follow on a fenced block."""
    fences = [place for place, text in enumerate(lines) if re.match(_FENCE, text)]
    if len(fences) < 2:
        return False
    before = tuple(filter(None, lines[: fences[-1] + 1]))
    # Lines that were put together come last, and begin as the first of their pieces.
    behind = " ".join(text for text in lines[fences[-1] + 1 :] if not text.startswith(before))
    return sum(word in ENGLISH for word in behind.lower().split()) > 1

"""Which lines of a log read like the report of a failure."""

from __future__ import annotations

import re

_TROUBLE = re.compile(
    r"(?:error|exception|fatal|panic|failed|failure|cannot|can't|unable|unsupported|illegal|abort"
    r"|out of |not supported|not implemented|invalid|mismatch|xid|segfault|segmentation|core dumped"
    r"|assert|must be|should be|no kernel|killed|timed out|hang|hung|nan\b|exceeds?\b|not divisible)",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\b(?:0|no|without|ignored?|ignoring) (?:errors?|failures?|exceptions?)\b", re.IGNORECASE
)


def is_trouble(text: str) -> bool:
    """Whether a line reads like the report of a failure, whatever its log level."""
    return _TROUBLE.search(text) is not None and _HARMLESS.search(text) is None

"""Sizes as people and tools write them: `16g`, `10.24gb`, `24564MiB`."""

from __future__ import annotations

import re

_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([kmgt]?)(i?b)?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def read_size(text: str) -> int | None:
    """Bytes, None for text that is no size. As docker does, `g` and `gb` count in powers of two."""
    match = _SIZE.fullmatch(text.strip())
    return round(float(match[1]) * _UNITS[match[2].lower()]) if match else None

"""JSON in the output of a tool that may print warnings around it."""

from __future__ import annotations

import json
import re
from typing import Any


def first_json(text: str) -> Any:
    """The first JSON object or list that starts a line of `text`, or None."""
    decoder = json.JSONDecoder()
    for match in re.finditer(r"^\s*[\[{]", text, re.MULTILINE):
        try:
            return decoder.raw_decode(text, match.end() - 1)[0]
        except (ValueError, RecursionError):
            continue
    return None

"""A line as a program meant to print it, out of what a terminal or a web page made of it.

What carries meaning stays as it is: `sm_120`, Xid and CUDA error numbers, dtypes, head sizes, versions.
"""

from __future__ import annotations

import re

# Patterns are text, compiled by the first line that needs them: most lines need none.
_ANSI = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])"
_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
_TYPOGRAPHY = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "\u00a0": " ", "\u202f": " "})
_ENTITY = r"&(?:amp;)*(lt|gt|quot|apos|nbsp|#39|#x27|#34|amp);"  # escaped once or more often
_ENTITIES = {
    **{"lt": "<", "gt": ">", "quot": '"', "apos": "'", "nbsp": " "},
    **{"#39": "'", "#x27": "'", "#34": '"', "amp": "&"},
}


def clean(text: str) -> str:
    """One line without escape sequences, control and invisible characters, HTML entities, typographic quotes,
    and with every run of blanks made one."""
    if not text.isprintable():
        text = re.sub(_CONTROL, "", re.sub(_ANSI, "", text))
    if not text.isascii():
        text = text.translate(_TYPOGRAPHY)
    if "&" in text:
        text = re.sub(_ENTITY, lambda match: _ENTITIES[match[1]], text)
    return " ".join(text.split())

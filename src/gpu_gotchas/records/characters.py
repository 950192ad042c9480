"""Which characters a record may hold.

Everything that is invisible, reorders text, or looks like another character is left out, so that a command
or a signature is what it looks like.
"""

from __future__ import annotations

import re
import unicodedata

# Latin letters with accents, and signs that no ASCII character could be mistaken for.
_ALLOWED_BEYOND_ASCII = "À-ÖØ-öø-ÿĀ-ſ" + "…×±≤≥≈≠→←µ°²³·§€"
_REFUSED = re.compile(f"[^\n -~{_ALLOWED_BEYOND_ASCII}]")

_INSTEAD = {
    "\t": "use blanks",
    "\ufeff": "save the file without a byte order mark",
    "\u00a0": "use an ordinary blank",
    "\u2013": 'use "-"',
    "\u2014": 'use "-"',
    "\u2212": 'use "-"',
    "\u2018": 'use "\'"',
    "\u2019": 'use "\'"',
    "\u201c": "use '\"'",
    "\u201d": "use '\"'",
}


def refused_characters(text: str) -> list[tuple[int, str]]:
    """(line from 1, what is wrong) of the first refused character of each line."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        match = _REFUSED.search(line)
        if match:
            found.append((number, _describe(match.group())))
    return found


def _describe(character: str) -> str:
    name = unicodedata.name(character, unicodedata.category(character))
    instead = _INSTEAD.get(character, "write it in ASCII")
    return f"U+{ord(character):04X} ({name.lower()}) may not stand in a record: {instead}"

"""Which lines of a log read like the report of a failure."""

from __future__ import annotations

import re

# Looked for one by one: over a long log that is many times faster than one pattern of alternatives.
_SIGNS = (
    *("error", "exception", "fatal", "panic", "failed", "failure", "cannot", "can't", "unable", "abort"),
    *("unsupported", "not supported", "not implemented", "illegal", "invalid", "mismatch", "assert"),
    *("must be", "should be", "no kernel", "out of ", "not divisible", "exceed", "overflow", " nan"),
    *(
        "not compatible",
        "incompatible",
        "not defined",
        "undefined symbol",
        "not enabled",
        "could not",
        " fault",
    ),
    *("userwarning", "refused", "unrecognized", "too old", "isnan"),
    *("xid", "segfault", "segmentation", "core dumped", "killed", "timed out", " hung"),
    *(" hang", "hangs", "deadlock", "freezes", "stuck", "never return", "never start", "never finish"),
    *("gibberish", "garbage", "!!!!!", "wrong result", "wrong output"),
)
_HARMLESS = (
    r"\b(?:0|no|without|ignored?|ignoring) (?:errors?|failures?|exceptions?|uncorrectable)\b"
    r"|\b(?:errors?|failures?|xid events?)\b[^:=]*[:=]\s*(?:0|none)\b(?!.*\b[1-9])"
)


def signs_in(text: str) -> list[str]:
    """The signs of trouble that stand anywhere in a text of many lines. No sign holds a digit."""
    lowered = text.lower()
    return [sign for sign in _SIGNS if sign in lowered]


def is_trouble(text: str) -> bool:
    """Whether a line reads like the report of a failure, whatever its log level."""
    lowered = text.lower()
    return any(sign in lowered for sign in _SIGNS) and re.search(_HARMLESS, lowered) is None

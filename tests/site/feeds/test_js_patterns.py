"""What is translated means the same, what is not known is refused. test_paste tries it in a browser."""

from __future__ import annotations

import re

import pytest

from gpu_gotchas.site.feeds.js_patterns import js_pattern


@pytest.mark.parametrize(
    ("python", "javascript", "flags"),
    [
        (r"(?P<level>A|B)x", r"(?<level>A|B)x", "u"),
        (r"(?i)[\w.]+", r"[\p{L}\p{N}_.]+", "ui"),
        (r"\d{1,2}", r"[\p{Nd}]{1,2}", "u"),
        (r"(?x) a\ b  | c", r"a b|c", "u"),
        (r"https?://x", r"https?:\/\/x", "u"),
        (r"[\x00-\x08\u200b]", r"[\x00-\x08\u200b]", "u"),
        (r"\'\-\"", "'-\"", "u"),
        (r"[a\-b]", r"[a\-b]", "u"),
        (r"(?<!x)y(?=z)", r"(?<!x)y(?=z)", "u"),
    ],
)  # fmt: skip
def test_it_means_the_same(python: str, javascript: str, flags: str) -> None:
    assert js_pattern(python) == (javascript, flags)
    assert js_pattern(re.compile(python)) == (javascript, flags)


@pytest.mark.parametrize("pattern", [r"\Ax", r"x\Z", r"(?s).", r"(?m)^x", r"\1(x)"])
def test_what_is_not_known_is_refused(pattern: str) -> None:
    with pytest.raises((ValueError, re.error)):
        js_pattern(pattern)

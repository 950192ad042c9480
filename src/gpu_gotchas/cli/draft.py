"""What a new record can begin with, out of a paste."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from gpu_gotchas.cli.redact import redact
from gpu_gotchas.search.gist import Gist
from gpu_gotchas.search.lines import Line
from gpu_gotchas.search.normalise import clean
from gpu_gotchas.search.questions import questions

_MOST_LINES = 60
_LONGEST, _READ = 300, 2_000
_HEX = re.compile(r"\b0x[0-9a-fA-F]+\b")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_MEANS = re.compile(r"(?i)\b(?:error|xid|errno|capability|status|signal)\b\D{0,20}$")
_TAKEN_OUT = re.compile(
    r"<(?:arn|guid|host|ip|key|mac|mail|secret|serial|share|token|user|uuid)>(?:[:/][\w.:/-]*(?:[\w/]|<path>))?"
)
_CUT_PATH = re.compile(r"<path>(?:/[\w.+@-]+)*")
_PATH = re.compile(r"(?<![\w<])(?:/[\w.+@-]+){2,}|\b[A-Z]:\\[^\s\"']+")


class Draft(NamedTuple):
    """signature: the error line as a template, if there is one. paste: the telling lines, redacted."""

    signature: str | None
    paste: tuple[str, ...]


def draft_from(lines: Iterable[Line]) -> Draft:
    gist = Gist()
    for line in lines:
        gist.feed([Line(line.number, clean(line.text))])
    asked = questions(gist.kept, gist.count).questions
    best = max(asked, key=lambda question: question.weight, default=None)
    kept = [_published(text) for text in gist.facts]
    return Draft(best and template_of(_published(best.text)), tuple(dict.fromkeys(kept))[:_MOST_LINES])


def _published(line: str) -> str:
    """Cut well behind what is kept before it is redacted, which takes long for lines that never end."""
    return redact(line[:_READ])[:_LONGEST]


def template_of(line: str) -> str:
    """The line with holes for what differs from one run to the next: addresses, paths and bare numbers, and
    for what was taken out of it.

    A number that says which error it is stays.
    """
    text = line.replace("{", "{{").replace("}", "}}")
    text = _CUT_PATH.sub("{path}", _TAKEN_OUT.sub("{word}", text))
    text = _PATH.sub("{path}", _HEX.sub("{hex}", text))
    return _NUMBER.sub(lambda match: match[0] if _MEANS.search(text[: match.start()]) else "{int}", text)

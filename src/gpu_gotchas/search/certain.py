"""What keeps a signature that was met from being the answer for certain. Pure: only lines are looked at.

A line may hold a program's error and not be the error: a test that expects it, a sentence about it, a note
that something else was done instead. And the same code may have been copied into another package.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpu_gotchas.records.templates import Template
from gpu_gotchas.search.answer import Seen
from gpu_gotchas.search.common_words import ENGLISH
from gpu_gotchas.search.match import Hit
from gpu_gotchas.search.packages import code_in, programs_of, strange
from gpu_gotchas.search.prefixes import unwrap

if TYPE_CHECKING:
    from gpu_gotchas.hardware.machine import Machine
    from gpu_gotchas.search.course import Course

_PASSED = (
    r"\b(?:PASSED|XFAIL|XPASS|SKIPPED|passed|xfailed|expected (?:error|failure|to fail))\b|\(expected\)"
    r"|^ok \d+\b|^[Ee]xpected:\s|\.\.\. ok$|\bpytest\.(?:raises|skip|xfail)\(|\bmatch=[\"']"
    r"|^\W{0,3}[✓✔✅☑]|\bPASS\b|\[ ?OK ?\]|\bSKIP\b|\bskipTest\("
    r"|^\W{0,3}(?:[Rr]esolved|RESOLVED|[Cc]losed|CLOSED)\b|\((?:closed|fixed|resolved|merged|solved|duplicate)\)$"
    r"|\b[Cc]hangelog\b|\b(?:[Ff]ix(?:ed|es)|[Ss]kipp(?:ed|ing)|[Aa]voids?|[Ss]olved)\b"
)
_MARKED = (
    r"^(?:[-+](?![->]|\d)|#{1,6}\s|#(?![#\d\[])|//|;\s|/?\*\s|<!--|~~"
    r"|(?:\S*/)?tests?/\S*:\d+:\s|(?:\S*/)?test_\w+\.py:\d+:\s|[A-Za-z_][\w.]* = [frbFRB]{0,2}[\"'])"
)
"""A line of a diff, a list, a comment or a heading, what is struck out, a hit in a test, a constant."""

_SOURCE = (
    r"\braise\s+\w+\(\s*[frb]?[\"']?$|\(\s*[fF][\"']$"
    r"|\b(?:echo|grep|rg|printf?)\b[^|;'\"]{0,80}['\"](?:[\w.]{0,80}(?:Error|Exception):\s*)?$"
)
_SPEAKER = r"\b(?:I|I'm|we|my|our|anyone|anybody|someone|somebody|why|FAQ|docs?)\b|\?\s*$"
_RAISED = r"^(?:E\s+)?(?:[\w.]*(?:Error|Exception)\b:\s*)+['\"(\[]*$"
_NAMED = r"^(?:E\s+)?[\w.]*(?:Error|Exception)\b"
_LISTED = (
    r"(?:[\w'\"]\s*[:=]\s*[\[({]+\s*['\"]?|[\[({]['\"][^\])}]*['\"],\s*['\"]"
    r"|[{,]\s*['\"]?(?!MESSAGE|MSG|ERROR|LOG|TEXT)[A-Z][A-Z0-9_]*['\"]?\s*:\s*['\"]?)"
    r"(?:[\w.]{0,80}(?:Error|Exception):\s*)?$"
)
_MOST_BEFORE = 300
_FAILS_LOUDLY = frozenset({"crash", "refused"})


def passed(text: str) -> bool:
    """Whether a line says that something passed, was skipped or is fixed."""
    return re.search(_PASSED, text) is not None


def doubts(hit: Hit, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Why the lines that met a signature may not be the failure itself, one clause each."""
    found = [_doubt(seen, loud=entry["kind"] in _FAILS_LOUDLY) for seen in hit.lines]
    return tuple(dict.fromkeys(filter(None, found)))


def tells_where(hit: Hit, entry: Mapping[str, Any]) -> bool:
    """Whether some context was met that says where it failed: no setting's name or value, which healthy logs
    hold too, and not in what a program logs when all is well."""
    signature = entry["signatures"][hit.signature]
    conditions = {signature["context"][at] for at in signature["conditions"]}
    return any(seen.template not in conditions and not unwrap(seen.text).calm for seen in hit.context)


def against(hit: Hit, entry: Mapping[str, Any], machine: Machine | None, course: Course) -> tuple[str, ...]:
    """All that keeps a hit from being sure. machine: what is known of the one that it happened on."""
    found: list[str] = []
    if machine is not None:
        from gpu_gotchas.search.conditions import assess  # loads the catalogue

        found += assess(entry["affects"], machine).disagreed
    found += filter(None, (strange_package(hit, entry["affects"], course.around(hit)),))
    found += doubts(hit, entry)
    found += filter(None, (course.before(hit, entry),))
    if hit.shared and not tells_where(hit, entry):
        found.append("other causes print this too, and nothing else was met that tells which it is")
    if entry["measured"]:
        found.append(f"no line is proof of it: {entry['measured']} is measured")
    return tuple(found)


def strange_package(hit: Hit, affects: Sequence[Mapping[str, Any]], around: Sequence[str] = ()) -> str | None:
    """What to say where the lines are of a package that the record claims nothing about.

    around: the programs in whose traceback they stand.
    """
    claimed = {package for case in affects for package in case["software"]}
    seen = [package for line in (*hit.lines, *hit.context) for package in code_in(line.text)]
    told = [name for line in hit.lines for name in programs_of(line.text, unwrap(line.text).text)]
    found = strange(claimed, seen, (*told, *around))
    return found and f"the code is {found}'s: the record is about {' and '.join(sorted(claimed))}"


def _doubt(seen: Seen, *, loud: bool) -> str | None:
    message = unwrap(seen.text)
    if passed(seen.text):
        return f"line {seen.number} says that something passed, was skipped or is fixed"
    if loud and message.calm:
        return f"line {seen.number} is logged as information"
    if loud and message.warns and not message.severe:
        return f"line {seen.number} is logged as a warning"
    if re.search(_MARKED, message.text):
        return f"line {seen.number} is of a list, a diff, a comment or code"
    start, end = _place(message.text, seen.template)
    if start >= 0 and re.search(_LISTED, message.text[max(0, start - _MOST_BEFORE) : start]):
        return f"line {seen.number} gives it as one reason among others"
    if start >= 0 and _is_said(message.text, start, end):
        return f"line {seen.number} speaks about the error"
    return None


def _place(text: str, template: str) -> tuple[int, int]:
    """Where the template stands in a text, by its first and last literal; from -1 where it can't be told."""
    literals = Template.parse(template).literals
    return text.find(literals[0]), text.rfind(literals[-1]) + len(literals[-1])


def _is_said(text: str, start: int, end: int) -> bool:
    """Whether the error stands inside a sentence of somebody's, or in the code that raises it."""
    if re.search(_SOURCE, text[:start]):
        return True
    before, after = text[:start].rstrip(" \"'`“(["), text[end:]
    if re.search(_SPEAKER, f"{before}\n{after}"):
        return True
    if re.search(_RAISED, text[:start]) or re.match(_NAMED, text[start:]):
        return False  # the message of an exception may go on in plain words
    if before and before[-1] not in ":=>|.,;-)" and _plain_words(before):
        return True
    goes_on = re.match(r"[\"'`)\]]*\s+([a-z]+)", after)
    return goes_on is not None and goes_on[1] in ENGLISH


def _plain_words(before: str) -> bool:
    return any(word in ENGLISH for word in before.lower().replace(":", " ").split())

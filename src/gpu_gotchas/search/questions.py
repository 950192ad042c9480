"""What the lines of a text say of its failure, and how much each counts.

The first exception counts most: what comes behind it, or from another rank than the first that failed, is
mostly what it led to. Without a sign of trouble a log asks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from gpu_gotchas.search.boilerplate import ends_the_root, without_boilerplate
from gpu_gotchas.search.prefixes import Message, unwrap
from gpu_gotchas.search.trouble import is_trouble

SHORT = 12
"""Lines. In a text no longer than this every line may be a question; in a longer one only trouble is."""

_A_FEW, _ONE_OF_A_FEW = 3, 0.5
_WHOLE = 60
_A_FRAME = 'File "'
_EXCEPTION, _TROUBLE, _WARNING, _FRAME, _OTHER = 1.0, 0.8, 0.8, 0.4, 0.4
_CONSEQUENCE, _OTHER_RANK = 0.8, 0.3
_IS_EXCEPTION = re.compile(
    r"(?i)(?:(?:cuda|hip|nccl|cublas|cudnn|driver|runtime) |[\w.]+)?"
    r"(?:error(?:_\w+)?|exception|failed|outofresources|interrupt|warning)\b"
    r"|ptxas |nvcc |.*(?:fatal|what\(\))"
)
_SAYS_WHICH = re.compile(r"[\w.]+(?:Error|Exception|OutOfResources)\b: ")


class Question(NamedTuple):
    """One line without its wrapping. weight: 0 to 1."""

    text: str
    weight: float


class Asked(NamedTuple):
    """questions: each text once. fails: whether there is an exception in the text, or the like of it.

    excerpt: whether somebody chose these lines: they are few, and no logger's. complains: whether any reads
    like trouble.
    """

    questions: tuple[Question, ...]
    fails: bool
    excerpt: bool
    complains: bool


def questions(lines: Sequence[str], count: int) -> Asked:
    """lines: cleaned, in order. count: of how many lines they were kept."""
    messages = [unwrap(text) for text in lines]
    excerpt = count <= SHORT and not any(message.logged for message in messages)
    asking = any(
        _troubled(message) or (count <= SHORT and _warns_of_trouble(message)) for message in messages
    )
    if not asking and (count > SHORT or any(message.logged for message in messages)):
        messages = [message for message in messages if message.warns]
    first_rank = _first_failing_rank(messages)
    fails = any(message.severe or _IS_EXCEPTION.match(message.text) for message in messages)
    found: dict[str, float] = {}
    consequence = 1.0
    for message in messages:
        if ends_the_root(message.text):
            consequence = _CONSEQUENCE
        text = without_boilerplate(message.text)
        if not text:
            continue
        weight = _weight(message, text, count, fails) * consequence
        if first_rank is not None and message.rank not in (None, first_rank):
            weight *= _OTHER_RANK
        found[text] = max(found.get(text, 0.0), weight)
        if _SAYS_WHICH.match(text):
            consequence = _CONSEQUENCE
    asked = tuple(Question(text, weight) for text, weight in found.items() if weight)
    return Asked(asked, fails, excerpt, asking)


def failing_rank(lines: Sequence[str]) -> str | None:
    """The rank that failed first, of cleaned lines that say which rank they are from."""
    return _first_failing_rank([unwrap(text) for text in lines])


def _first_failing_rank(messages: Sequence[Message]) -> str | None:
    return next((message.rank for message in messages if message.rank and _troubled(message)), None)


def _troubled(message: Message) -> bool:
    """What is logged as information is none, unless it is an exception."""
    if message.calm:
        return _SAYS_WHICH.match(message.text) is not None
    return message.severe or (not message.warns and is_trouble(message.text))


def _warns_of_trouble(message: Message) -> bool:
    return message.warns and is_trouble(message.text)


def _weight(message: Message, text: str, count: int, fails: bool) -> float:
    """fails: whether there is an exception in the text, of which this line may tell."""
    if text.startswith(_A_FRAME):
        return _FRAME
    if message.calm and not _SAYS_WHICH.match(text):
        return 0.0 if count > _WHOLE else _OTHER
    if message.warns:
        return _TROUBLE if count <= SHORT and is_trouble(text) else _WARNING
    if count == 1 or _IS_EXCEPTION.match(text):
        return _EXCEPTION
    if is_trouble(text):
        return _TROUBLE
    if count <= _A_FEW:
        return _ONE_OF_A_FEW
    return _OTHER if fails or count <= SHORT else 0.0

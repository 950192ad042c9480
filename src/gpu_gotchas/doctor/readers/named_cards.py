"""Cards in a sentence: `2x RTX 3090`, `H100`, `sm_120`, `compute capability 8.6`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu_gotchas.doctor.readers.cards import MAX_CARDS
from gpu_gotchas.doctor.readers.wished import wished
from gpu_gotchas.hardware.catalogue import UnknownName, find_target, gpus_called
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.gpus import Gpu
from gpu_gotchas.hardware.machine import Card
from gpu_gotchas.hardware.targets import Target

TARGET = re.compile(
    r"(?i)(?<!pre-)(?<![<>=])(?<![<>=] )"
    r"\b(?:sm[_ ]?(1?[0-9]{2})[af]?|(gfx[0-9a-f]{3,4})|compute capability (1?[0-9]\.[0-9]))\b"
    r"(?!/[0-9]|\+| or (?:higher|newer|later|above))"
)
_CARD = re.compile(
    r"(?i)\b(?:(?:rtx|gtx|rx|pro|ai|titan|radeon|quadro|geforce|tesla|instinct|arc)[ -]?){0,3}"
    r"[a-z]{0,3}[0-9]{1,5}[a-z]{0,2}"
    r"(?: (?:ti|super|xtx|xt|gre|laptop|ada|generation|blackwell|pcie|sxm|nvl)\b)*(?![\w+])"
)
_TOGETHER = re.compile(r"(?i)\b(rtx|gtx|rx)(?=[0-9])")
_LETTER = re.compile(r"(?i)[a-z]")
_SIZE = re.compile(r"(?i)[0-9]+ ?(?:[kmgt]i?b?|b|x)")
_COUNT = re.compile(r"(?i)(?<![\w.])([1-9][0-9]{0,3}) ?[x×] ?(?=[a-wyz])")


def named_cards(text: str) -> tuple[tuple[Card, ...] | None, bool]:
    """The cards, and whether it is said how many. None where none is named, or several kinds are."""
    card = _card(text)
    if card is None:
        return None, False
    counted = _COUNT.search(text)
    count = int(counted[1]) if counted else 1
    return (card,) * min(count, MAX_CARDS), counted is not None


def _card(text: str) -> Card | None:
    stated = {found for match in TARGET.finditer(text) if not wished(match) and (found := _target(match))}
    named = set(_named(text))
    if len(stated) == 1:
        (target,) = stated
        fitting = [gpu for gpu in named if gpu.target == target]
        return _one(fitting[0]) if len(fitting) == 1 else Card(target.name, target, vendor=target.vendor)
    if stated or len({gpu.target for gpu in named}) != 1:
        return None
    first = min(named, key=lambda gpu: gpu.id)
    return (
        _one(first) if len(named) == 1 else Card(first.target.name, first.target, vendor=first.target.vendor)
    )


def _one(gpu: Gpu) -> Card:
    return (described_machine(gpu.id).cards or ())[0]


def _target(match: re.Match[str]) -> Target | None:
    """`sm_86`, `gfx942` or a capability; None where there is no such target."""
    try:
        return find_target((match[2] or match[3] or f"sm_{match[1]}").lower())
    except UnknownName:
        return None


def _named(text: str) -> Iterator[Gpu]:
    """The cards whose names stand in the text, as people say them: `RTX 3090`, `3060 Ti`, `H100`."""
    for match in _CARD.finditer(text):
        words = [] if wished(match) else _TOGETHER.sub(r"\1 ", match[0]).split()
        while words:
            phrase = " ".join(words)
            found = gpus_called(phrase) if _LETTER.search(phrase) and not _SIZE.fullmatch(phrase) else ()
            if found:
                yield from found
                break
            words.pop()

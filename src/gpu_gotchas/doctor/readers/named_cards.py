"""Cards in a sentence: `2x RTX 3090`, `H100`, `sm_120`, `compute capability 8.6`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu_gotchas.doctor.readers.cards import MAX_CARDS
from gpu_gotchas.doctor.readers.nicknames import plain
from gpu_gotchas.doctor.readers.wished import wished
from gpu_gotchas.hardware.catalogue import UnknownName, find_target, gpus_called
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.gpus import Gpu
from gpu_gotchas.hardware.machine import Card
from gpu_gotchas.hardware.targets import Target, Vendor

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
_FORM = re.compile(r"(?i)sxm[0-9]?|nvl[0-9]*|hbm[0-9]?e?|gen[0-9]")
_COUNT = re.compile(r"(?i)(?<![\w.])([1-9][0-9]{0,3}) ?[x×*] ?(?=[a-wyz])(?!tx?\b)")
_COUNTED_AFTER = re.compile(r"(?i)(?:(?<=[0-9])| )[x×]([2-9]|1[0-9])(?![\w.])")
_LANES = re.compile(r"(?i)\b(?:pcie|gen)\b[^,;]*$|gen ?[0-9] *$")
_GLUED = re.compile(r"(?i)(?<![\w.])([1-9][0-9]{0,2})[x×*](?=[a-z0-9])")
_IN_WORDS = {"single": 1, "one": 1, "dual": 2, "two": 2, "three": 3, "quad": 4, "four": 4, "eight": 8}
_COUNT_WORD = re.compile(
    rf"(?i)\b({'|'.join(_IN_WORDS)}) "
    r"(?=(?:nvidia |amd |geforce )?(?:rtx |gtx |rx |tesla )?[a-z]{0,2}[0-9]{2,4})"
)
# A GeForce by its number alone, where the words before it say that it is a card.
_BARE = re.compile(
    r"(?i)\b(?P<lead>(?:my|an?|x|nvidia|single|dual|quad|two|four) )?"
    r"(?P<number>(?:20[678]|30[5-9]|40[5-9]|50[5-9])0)(?P<more> ?ti\b| super\b)?(?P<many>s)?\b"
)
_VENDOR = re.compile(r"(?i)\b(?:(amd gpus?|amd instinct|radeon)|(intel arc|arc pro|intel xpu))\b")


def named_cards(text: str) -> tuple[tuple[Card, ...] | None, bool]:
    """The cards, and whether it is said how many.

    Of several kinds only the vendor is taken, where it is one; None where no card is named, or several
    vendors.
    """
    text, instance = plain(text)
    text = _BARE.sub(_with_brand, _GLUED.sub(r"\1 x ", text))
    card = _card(_COUNTED_AFTER.sub(" ", text))
    if card is None:
        return None, False
    count = _count(text) or instance
    return (card,) * min(count or 1, MAX_CARDS), count is not None


def _with_brand(match: re.Match[str]) -> str:
    if not match["lead"] and not match["many"]:
        return match[0]  # any number at all
    return f"{match['lead'] or ''}RTX {match['number']}{match['more'] or ''}"


def _count(text: str) -> int | None:
    behind = next(
        (one for one in _COUNTED_AFTER.finditer(text) if not _LANES.search(text[: one.start()][-20:])), None
    )
    before, words = _COUNT.search(text), _COUNT_WORD.search(text)
    if before or behind:
        return int((before or behind)[1])  # type: ignore[index]
    return _IN_WORDS[words[1].lower()] if words else None


def _card(text: str) -> Card | None:
    seen = [match for match in TARGET.finditer(text) if not wished(match)]
    stated = {found for match in seen if (found := _target(match))}
    named = set(_named(text))
    if len(stated) == 1:
        (target,) = stated
        fitting = [gpu for gpu in named if gpu.target == target]
        return _one(fitting[0]) if len(fitting) == 1 else Card(target.name, target, vendor=target.vendor)
    if not stated and len({gpu.target for gpu in named}) == 1:
        first = min(named, key=lambda gpu: gpu.id)
        known = Card(first.target.name, first.target, vendor=first.target.vendor)
        return _one(first) if len(named) == 1 else known
    vendors = {target.vendor for target in stated} | {gpu.target.vendor for gpu in named}
    if not vendors:
        # No target of ours: a generation that nothing is claimed of, or a vendor's name alone.
        vendors = {Vendor.AMD if match[2] else Vendor.NVIDIA for match in seen}
        vendors |= {Vendor.AMD if match[1] else Vendor.INTEL for match in _VENDOR.finditer(text)}
    if len(vendors) != 1:
        return None
    (vendor,) = vendors
    return Card(f"a card of {vendor.value.upper()}", None, vendor=vendor)


def _one(gpu: Gpu) -> Card:
    return (described_machine(gpu.id).cards or ())[0]


def _no_name(phrase: str) -> bool:
    return bool(_SIZE.fullmatch(phrase) or _FORM.fullmatch(phrase))


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
            found = gpus_called(phrase) if _LETTER.search(phrase) and not _no_name(phrase) else ()
            if found:
                yield from found
                break
            words.pop()

"""What a paste says about its machine. Only plain facts are read; a line that states a need is none.

This is the seam for everything that is known of a machine from a text: `Machine` in, `Machine` out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from gpu_gotchas.hardware.catalogue import find_target, gpus, targets
from gpu_gotchas.hardware.machine import Card, Machine
from gpu_gotchas.hardware.targets import Target

_TARGET = re.compile(r"\b(sm_\d{2,3}|gfx[0-9a-f]{3,4})(?![0-9a-zA-Z])")
_CAPABILITY = re.compile(r"\bcompute capability:? \(?(\d{1,2})[., ]{1,2}(\d)\b", re.IGNORECASE)
_CARD = re.compile(
    r"\b(?:RTX|GTX|GeForce|Tesla|Quadro|TITAN|CMP|GB10|GH200|Radeon|Instinct|[ABHLTV]\d{1,3}S?|MI\d{3}X?)\b"
)
_NEED = re.compile(
    r"\b(?:requires?d?|needs?|at least|or (?:newer|higher|above)|minimum|supports|only|(?<!not )supported|>=)",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"\b(vllm|sglang|torch|triton|flashinfer|transformers|aiter)(?:\s+api server)?"
    r"(?:==|\s*[:=]\s*|\s+version:?\s+|\s+)v?(\d+\.\d+(?:\.\d+)?(?:(?:\.?(?:dev|post)|rc|a|b)\d+)?(?:\+[\w.]+)?)(?![\w.])",
    re.IGNORECASE,
)


def facts(lines: Iterable[str]) -> Machine:
    """The machine that the lines describe. Two different answers to one question count as none."""
    found_targets: set[str] = set()
    found_cards: dict[str, Target] = {}
    versions: dict[str, set[str]] = {}
    for line in lines:
        for package, version in _VERSION.findall(line):
            versions.setdefault(package.lower(), set()).add(version)
        if _NEED.search(line):
            continue
        found_targets.update(_TARGET.findall(line))
        found_targets.update(f"sm_{major}{minor}" for major, minor in _CAPABILITY.findall(line))
        if _CARD.search(line):
            found_cards.update(_cards_in(line))
    software = {package: next(iter(seen)) for package, seen in versions.items() if len(seen) == 1}
    return Machine(cards=_cards(found_targets, found_cards), software=software, described=True)


def machine_with(target: str) -> Machine:
    """A machine with one card of this target. Raises UnknownName with a suggestion."""
    found = find_target(target)
    return Machine(cards=(Card(name=found.name, target=found),), described=True)


def merge(known: Machine | None, read: Machine) -> Machine:
    """What is known, filled up with what was read. Nothing that is known is overruled."""
    if known is None:
        return read
    return Machine(
        cards=read.cards if known.cards is None else known.cards,
        software={**read.software, **known.software},
        platform={**read.platform, **known.platform},
        settings={**read.settings, **known.settings},
        p2p=read.p2p if known.p2p is None else known.p2p,
        described=known.described,
        unknown=known.unknown,
    )


def _cards(names: set[str], cards: Mapping[str, Target]) -> tuple[Card, ...] | None:
    stated = [target for target in targets() if target.name in names]
    if len(names) > 1 or len(cards) > 1:
        return None
    for name, target in cards.items():
        agrees = not stated or stated == [target]
        return (Card(name=name, target=target),) if agrees else None
    return tuple(Card(name=target.name, target=target) for target in stated) or None


def _cards_in(line: str) -> dict[str, Target]:
    """The cards named in a line; of `RTX 3090 Ti` that card alone, not the `RTX 3090` within it."""
    known = _card_names()
    pattern = _card_pattern()
    return {known[name][0]: known[name][1] for name in (found.lower() for found in pattern.findall(line))}


@cache
def _card_names() -> dict[str, tuple[str, Target]]:
    """Names as people write them, in lower case, to the driver's name and the target."""
    found: dict[str, tuple[str, Target]] = {}
    for gpu in gpus():
        for name in gpu.names:
            short = re.sub(r"^(?:nvidia |amd )?(?:geforce |instinct )?", "", name.lower())
            found.setdefault(short, (gpu.name, gpu.target))
    return found


@cache
def _card_pattern() -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in sorted(_card_names(), key=lambda name: (-len(name), name)))
    return re.compile(rf"(?<![\w-])({names})(?![\w-]| (?:Ti|SUPER|Laptop|D|Ada)\b)", re.IGNORECASE)

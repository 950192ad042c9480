"""What a paste says about its machine. Only plain facts are read; a line that states a need is none.

This is the seam for everything that is known of a machine from a text: `Machine` in, `Machine` out. The
catalogue is loaded only for a text that names a target or a card.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from gpu_gotchas.search.in_force import values_in

if TYPE_CHECKING:
    from gpu_gotchas.hardware.machine import Card, Machine
    from gpu_gotchas.hardware.targets import Target

_PACKAGES = ("vllm", "sglang", "torch", "triton", "flashinfer", "transformers", "aiter")
_VENDORS = ("nvidia", "geforce", "rtx", "gtx", "tesla", "quadro", "titan", "radeon", "instinct")
_VENDOR_SIGNS = {
    "amd": r"\b(?:fp8e4b8|fp8e5b16|HIP error|hipError\w+|amdgpu|rocBLAS|MIOpen|AMD (?:Instinct|Radeon))\b"
    r"|\d\+rocm\d",
    "intel": r"\bIntel(?:\(R\))? (?:Arc|Data Center GPU)|\bxpu:\d|\btorch\.xpu\b|\bLevel.?Zero\b|\d\+xpu\b",
}
"""What only programs for that vendor's cards print."""

_HINTS = (
    *(*_PACKAGES, *_VENDORS, "sm_", "gfx", "capability", "100", "200", "gb10", "mi3"),
    *("fp8e", "hip", "amd", "rocm", "rocblas", "miopen", "intel", "xpu", "zero", "l40", "l4", "t4"),
    *("major", "backend", "gputarget", "cuda:", "device_name"),
)
"""A line without any of these, in lower case, states no fact. Patterns are compiled for one that does."""

_TARGET = r"\b(sm_\d{2,3}|gfx[0-9a-f]{3,4})(?:[af](?![0-9a-zA-Z]))?(?![0-9a-zA-Z])"
_ARCH = (
    r"\bbackend['\"]?\s*[=:]\s*['\"]cuda['\"],\s*['\"]?arch['\"]?\s*[=:]\s*['\"]?(?:sm_?)?(\d{2,3})[af]?\b"
    r"|\bGPUTarget\(['\"]cuda['\"],\s*(\d{2,3})\b|\bcuda:(\d{2,3}):32\b"
)
"""As Triton prints what it compiles for."""

_CAPABILITY = (
    r"(?i)(?<![a-z])(?:(?:compute|cuda|device|gpu)[ _])?(?:capability|compute_cap)(?:\(\d*\))?['\"]?\s*"
    r"(?:[:=]+|is|of)?\s*\(?\s*(\d{1,2})\s?[.,]\s?(\d)(?![\w.]{0,20}\d)"
)
_PARTS = (
    r"(?<!version_info\()\bmajor['\"]?\s*[=:]\s*(\d{1,2}),\s*['\"]?minor['\"]?\s*[=:]\s*(\d)\b(?!,\s*micro)"
)
"""As torch and vLLM print a device's properties, of which those of AMD cards mean something else."""

_OWN = (
    r"(?i)\b(?:current|your)\b(?:(?!need|requir|least|must|should)[^.;:]){0,60}\bcapability:?\s*(?:is|of)?\s*"
    r"\(?(\d{1,2})(?:\.|, ?)?(\d)\b"
)
"""What a message says of the card that is there, beside what would be needed."""

_DEVICE_NAME = r"\bdevice_name=([A-Za-z][\w-]*)"
"""In the name of a file of tuned settings, with underscores for blanks."""

_NEED = (
    r"(?i)>=|(?<![-=])[<>]\s?(?:sm_)?\d|\b(?:requires?d?|needs?|at least|minimum"
    r"|(?:or|and) (?:newer|higher|above|later|up)|supports|only|below|less than|older than"
    r"|(?<!not )supported)\b|\d\+(?!\w)"
)
_VERSION = (
    rf"(?i)\b({'|'.join(_PACKAGES)})(?:\s+api server)?"
    r"(?:==|\s*[:=]\s*|\s+version:?\s+|\s+)v?"
    r"(\d+\.\d+(?:\.\d+)?(?:(?:\.?(?:dev|post)|rc|a|b)\d+)?(?:\+[\w.]+)?)(?![\w.])"
)
_CARD = rf"(?i)\b(?:{'|'.join(_VENDORS)}|gb10|gh200|cmp|[abhltv]\d{{1,3}}s?|mi\d{{3}}x?)\b"


def facts(lines: Iterable[str], settings: Mapping[str, Any] | None = None) -> Machine | None:
    """The machine that the lines describe, None when they say nothing of one.

    Two different answers to one question count as none. settings: those to look for, as the index has them.
    """
    found_targets: set[str] = set()
    found_cards: dict[str, Target] = {}
    found_vendors: set[str] = set()
    versions: dict[str, set[str]] = {}
    lines = list(lines)
    in_force = values_in(lines, settings) if settings else {}
    for line in lines:
        lowered = line.lower()
        if not any(hint in lowered for hint in _HINTS):
            continue
        found_vendors.update(vendor for vendor, sign in _VENDOR_SIGNS.items() if re.search(sign, line))
        for package, version in re.findall(_VERSION, line):
            versions.setdefault(package.lower(), set()).add(version)
        found_targets.update(f"sm_{major}{minor}" for major, minor in re.findall(_OWN, line))
        if re.search(_NEED, line):
            continue
        found_targets.update(_targets_in(line))
        line += "".join(f" {name.replace('_', ' ')}" for name in re.findall(_DEVICE_NAME, line))
        if re.search(_CARD, line):
            found_cards.update(_cards_in(line))
    software = {package: next(iter(seen)) for package, seen in versions.items() if len(seen) == 1}
    if not (found_targets or found_cards or found_vendors or software or in_force):
        return None
    from gpu_gotchas.hardware.machine import Machine

    cards = _cards(found_targets, found_cards, found_vendors)
    return Machine(
        cards=cards, software=software, settings=in_force, described=True, count_known=False
    )  # of how many cards a text speaks is not read


def _targets_in(line: str) -> set[str]:
    """What a line that states no need says that code is compiled for, or that the card is."""
    found = set(re.findall(_TARGET, line))
    found.update(f"sm_{arch}" for groups in re.findall(_ARCH, line) for arch in groups if arch)
    found.update(f"sm_{major}{minor}" for major, minor in re.findall(_CAPABILITY, line))
    if "gfx" not in line:
        found.update(f"sm_{major}{minor}" for major, minor in re.findall(_PARTS, line))
    return found


def machine_with(target: str) -> Machine:
    """A machine with one card of this target. Raises UnknownName with a suggestion."""
    from gpu_gotchas.hardware.catalogue import find_target
    from gpu_gotchas.hardware.machine import Card, Machine

    found = find_target(target)
    return Machine(cards=(Card(name=found.name, target=found),), described=True, count_known=False)


def merge(known: Machine | None, read: Machine | None) -> Machine | None:
    """What is known, filled up with what was read. Nothing that is known is overruled."""
    if known is None or read is None:
        return known or read
    return replace(
        known,
        cards=read.cards if known.cards is None else known.cards,
        count_known=read.count_known if known.cards is None else known.count_known,
        software={**read.software, **known.software},
        platform={**read.platform, **known.platform},
        settings={**read.settings, **known.settings},
        p2p=read.p2p if known.p2p is None else known.p2p,
    )


def _cards(names: set[str], cards: Mapping[str, Target], vendors: set[str]) -> tuple[Card, ...] | None:
    from gpu_gotchas.hardware.catalogue import targets
    from gpu_gotchas.hardware.machine import Card
    from gpu_gotchas.hardware.targets import Vendor

    if not names and not cards:
        only = [Vendor(name) for name in vendors] if len(vendors) == 1 else []
        return (
            tuple(Card(f"a card of {vendor.value.upper()}", None, vendor=vendor) for vendor in only) or None
        )
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
    from gpu_gotchas.hardware.catalogue import gpus

    found: dict[str, tuple[str, Target]] = {}
    for gpu in gpus():
        for name in gpu.names:
            short = re.sub(r"^(?:nvidia |amd )?(?:geforce |instinct )?", "", name.lower())
            found.setdefault(short, (gpu.name, gpu.target))
    families: dict[str, set[Target]] = {}
    for name, (_, target) in found.items():
        for end in range(1, len(name.split())):
            family = " ".join(name.split()[:end])
            if any(letter.isdigit() for letter in family):
                families.setdefault(family, set()).add(target)
    for family, alike in families.items():
        if len(alike) == 1 and family not in found:  # `H100`, whichever of them it is
            found[family] = (family.upper(), next(iter(alike)))
    return found


@cache
def _card_pattern() -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in sorted(_card_names(), key=lambda name: (-len(name), name)))
    return re.compile(rf"(?<![\w-])({names})(?![\w-]| (?:Ti|SUPER|Laptop|D|Ada)\b)", re.IGNORECASE)

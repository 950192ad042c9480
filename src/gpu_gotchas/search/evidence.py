"""What a paste says about its machine. Only plain facts are read; a line that states a need is none.

This is the seam for everything that is known of a machine from a text: `Machine` in, `Machine` out. The
catalogue is loaded only for a text that names a target or a card.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from gpu_gotchas.search.card_names import cards_in
from gpu_gotchas.search.in_force import SAYS_SO, values_in

if TYPE_CHECKING:
    from gpu_gotchas.hardware.machine import Card, Machine
    from gpu_gotchas.hardware.targets import Target
    from gpu_gotchas.search.told import Told

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
    *("major", "backend", "gputarget", "cuda:", "device_name", "llm engine", "sm1", "sm7", "sm8", "sm9"),
    *("version: ", "spark"),
)
"""A line without any of these, in lower case, states no fact. Patterns are compiled for one that does."""

_TARGET = r"\b(sm_\d{2,3}|gfx[0-9a-f]{3,4})(?:[af](?![0-9a-zA-Z]))?(?![0-9a-zA-Z])"
_SM = (
    r"(?<![\w./:-])(?:SM|sm)(\d{2,3})[af]?(?![\w./:-])"
    r"(?! (?:kernel|path|code|build|cubin|variant|or|and)s?\b)"
)
"""`SM90` of a card, and not of code that is made for it."""

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
_HERE = (
    r"(?i)\b(?:tested|reproduced|reproduces|running|ran|runs|fails?|failed|failing|seen|happens|observed"
    r"|crash(?:es|ed)?) (?:it )?(?:only )?on\b"
)
"""What a line says of the card it was tried on, though it states a need as well."""

_NUMBER = (
    r"(\d+\.\d+(?:\.\d+)?(?:(?:\.?(?:dev|post)|rc|a|b)\d+){0,2}(?:\+\w+(?:\.(?!dist-info|tar|whl)\w+)*)?)"
    r"(?!\w|\.(?!dist-info|tar|whl)\w)"
)
_VERSION = (
    rf"(?i)\b(?:py(?=torch))?({'|'.join(_PACKAGES)})(?:[-_](?:openai|python)[\w-]{{0,20}})?(?:\.__version__)?"
    r"(?:\s+(?:api )?server)?"
    r"(?:['\"]?\s*(?:==?|:|@)\s*['\"]?|[\s_(]+version['\"]?(?:\s*[:=]{0,2}\s*| is )['\"]?"
    r"|\s*\(\s*|\s+|[-_])v?" + _NUMBER
)
_ROW = rf"(?i)^\|\s*`?({'|'.join(_PACKAGES)})`?\s*\|\s*`?v?{_NUMBER}"
"""Of a table in Markdown."""

_ENGINE = rf"\bLLM engine \(v{_NUMBER}"
"""vLLM, as it starts."""

_NAMED = rf"(?i)^Name: ({'|'.join(_PACKAGES)})$"
_ITS_VERSION = rf"^Version: {_NUMBER}"
"""`pip show`, in two lines."""

_CARD = (
    rf"(?i)(?:\b|(?<=\dx))(?:{'|'.join(_VENDORS)}|gb10|gh200|cmp|[abhltv]\d{{1,3}}s?|mi\d{{3}}x?|spark)"
    r"(?![a-zA-Z])"
)


def facts(lines: Iterable[str], settings: Mapping[str, Any] | None = None) -> Told | None:
    """The machine that the lines describe, None when they say nothing of one.

    Different answers to one question are kept beside one another. settings: those to look for, as the index
    has them.
    """
    found_targets: set[str] = set()
    found_cards: dict[str, Target] = {}
    found_vendors: dict[str, None] = {}
    versions: dict[str, dict[str, None]] = {}
    lines = list(lines)
    in_force = values_in(lines, settings) if settings else {}
    before = ""
    for line in lines:
        previous, before = before, line
        lowered = line.lower()
        if not any(hint in lowered for hint in _HINTS):
            continue
        found_vendors.update(
            (vendor, None) for vendor, sign in _VENDOR_SIGNS.items() if re.search(sign, line)
        )
        for package, version in _versions_in(line, previous):
            versions.setdefault(package, {})[version] = None
        found_targets.update(f"sm_{major}{minor}" for major, minor in re.findall(_OWN, line))
        line += "".join(f" {name.replace('_', ' ')}" for name in re.findall(_DEVICE_NAME, line))
        needs = re.search(_NEED, line) is not None
        if re.search(_CARD, line):
            found_cards.update(cards_in(line, full=needs and not re.search(_HERE, line)))
        stated = set() if needs else _targets_in(line)
        if len(stated) == 1:  # more are what a build is for
            found_targets.update(stated)
    told = {package: _distinct(seen) for package, seen in versions.items()}
    if not (found_targets or found_cards or found_vendors or told or in_force):
        return None
    from gpu_gotchas.search.told import Told

    cards = _cards(found_targets, found_cards, found_vendors)
    return Told(
        cards=cards if len(cards) == 1 else None,
        software=_once(told),
        settings=_once(in_force),
        described=True,
        count_known=False,  # of how many cards a text speaks is not read
        either_cards=cards if len(cards) > 1 else (),
        either_software=_several(told),
        either_settings=_several(in_force),
    )


def states_a_fact(line: str) -> bool:
    """Whether a line may say which card, version or setting is there; to be kept of a long text."""
    lowered = line.lower()
    if any(word in lowered for word in SAYS_SO):
        return True
    if not any(hint in lowered for hint in _HINTS):
        return False
    signs = (
        _VERSION,
        _ROW,
        _ENGINE,
        _NAMED,
        _ITS_VERSION,
        _TARGET,
        _SM,
        _ARCH,
        _CAPABILITY,
        _PARTS,
        _OWN,
        _CARD,
    )
    return any(re.search(sign, line) for sign in signs)


def _once(told: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {name: values[0] for name, values in told.items() if len(values) == 1}


def _several(told: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {name: values for name, values in told.items() if len(values) > 1}


def _versions_in(line: str, previous: str) -> list[tuple[str, str]]:
    found = [(package.lower(), version) for package, version in re.findall(_VERSION, line)]
    found += [(package.lower(), version) for package, version in re.findall(_ROW, line)]
    found += [("vllm", version) for version in re.findall(_ENGINE, line)]
    named, version = re.search(_NAMED, previous), re.search(_ITS_VERSION, line)
    if named and version:
        found.append((named[1].lower(), version[1]))
    return found


def _distinct(versions: Iterable[str]) -> tuple[str, ...]:
    """Without those that another one gives with its build: `0.25.0` beside `0.25.0+cu129`."""
    told = tuple(versions)
    return tuple(one for one in told if not any(other.startswith(f"{one}+") for other in told))


def _targets_in(line: str) -> set[str]:
    """What a line that states no need says that code is compiled for, or that the card is."""
    found = set(re.findall(_TARGET, line))
    found.update(f"sm_{arch}" for arch in re.findall(_SM, line))
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
    from gpu_gotchas.hardware.machine import Machine
    from gpu_gotchas.search.told import Told

    both = replace(
        known,
        cards=read.cards if known.cards is None else known.cards,
        count_known=read.count_known if known.cards is None else known.count_known,
        software={**read.software, **known.software},
        platform={**read.platform, **known.platform},
        settings={**read.settings, **known.settings},
        p2p=read.p2p if known.p2p is None else known.p2p,
    )
    if not isinstance(read, Told):
        return both
    return Told(
        **{part.name: getattr(both, part.name) for part in fields(Machine)},
        either_cards=read.either_cards if known.cards is None else (),
        either_software={
            name: read.either_software[name] for name in read.either_software if name not in known.software
        },
        either_settings={
            name: read.either_settings[name] for name in read.either_settings if name not in known.settings
        },
    )


def _cards(names: set[str], cards: Mapping[str, Target], vendors: Iterable[str]) -> tuple[Card, ...]:
    """Each card that may be the one: those named, and targets that none of these has."""
    from gpu_gotchas.hardware.catalogue import targets
    from gpu_gotchas.hardware.machine import Card
    from gpu_gotchas.hardware.targets import Vendor

    if not names and not cards:
        only = [Vendor(name) for name in vendors]
        return tuple(Card(f"a card of {vendor.value.upper()}", None, vendor=vendor) for vendor in only)
    held = {target.name for target in cards.values()}
    stated = [target for target in targets() if target.name in names - held]
    return (
        *(Card(name=name, target=target) for name, target in cards.items()),
        *(Card(name=target.name, target=target) for target in stated),
    )

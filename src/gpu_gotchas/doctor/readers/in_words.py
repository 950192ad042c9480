"""A report in words: `RTX 3090, vllm 0.19.1, --kv-cache-dtype fp8`, a bug report, or the title of one.

The last that is tried. Cards and versions are taken where they are plain; two different ones are none. The
words themselves say what is likely, and decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu_gotchas.doctor.command.prefixes import split_words
from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.packages import package_name
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.hardware.catalogue import UnknownName, find_target, gpus_called
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.gpus import Gpu
from gpu_gotchas.hardware.machine import Card, Machine
from gpu_gotchas.hardware.package_names import OTHER_NAMES, PACKAGES
from gpu_gotchas.hardware.targets import Target

MAX_TEXT = 200_000

_CALLED = {
    "driver": "nvidia-driver",
    "cuda": "cuda-runtime",
    "cuda toolkit": "cuda-toolkit",
    "rocm": "rocm",
    "python": "python",
    "pytorch": "torch",
    "flash attention": "flash-attn",
    "flash_attn": "flash-attn",
    "flashattention": "flash-attn",
}
# Components that are counted by two numbers; of packages, two numbers name a line of releases.
_YEAR = 20
_SHORT = ("nvidia-driver", "cuda-runtime", "cuda-toolkit", "rocm", "python")
_NAMES = sorted(
    {*_CALLED, *PACKAGES, *(other for others in OTHER_NAMES.values() for other in others)},
    key=len,
    reverse=True,
)
_VERSION = re.compile(
    rf"(?i)(?<![\w-])({'|'.join(map(re.escape, _NAMES))})(?: version)?[ =:@v]{{1,4}}"
    r"(?P<version>[0-9]{1,4}(?:\.(?:[0-9]{1,9}|x))*(?:(?:\.post|\.?dev|rc)[0-9]*)*(?:\+[a-z0-9.]+)?)(?![0-9a-z])"
    r"(?P<more>[-/ ]*(?:[0-9]+\.[0-9x]|era\b|dev\b|main\b|nightly\b)|\+(?![a-z0-9]))?"
)
_TARGET = re.compile(
    r"(?i)(?<!pre-)(?<![<>=])(?<![<>=] )\b(?:sm[_ ]?(1?[0-9]{2})[af]?|(gfx[0-9a-f]{3,4})|compute capability (1?[0-9]\.[0-9]))\b(?!/[0-9]|\+| or (?:higher|newer|later|above))"
)
_CARD = re.compile(
    r"(?i)\b(?:(?:rtx|gtx|rx|pro|ai|titan|radeon|quadro|geforce|tesla|instinct|arc)[ -]?){0,3}"
    r"[a-z]{0,3}[0-9]{1,5}[a-z]{0,2}(?: (?:ti|super|xtx|xt|gre|laptop|ada|generation|blackwell|pcie|sxm|nvl)\b)*(?![\w+])"
)
_MODEL = re.compile(r"(?i)[a-z]")
_SIZE = re.compile(r"(?i)[0-9]+ ?(?:[kmgt]i?b?|b|x)")
_COUNT = re.compile(r"(?i)(?<![\w.])([1-9][0-9]{0,2}) ?[x×] ?(?=[a-wyz])")
_COMMAND = re.compile(
    r"(?:\b[A-Z][A-Z0-9_]*=\S+ +)*\b(?:vllm serve|sglang serve|docker run|podman run|python3?(?:\.[0-9]+)? -m (?:vllm|sglang)\.)"
    r"(?:[^\n`]|\\\n){2,4000}"
)
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9_-]+(?:[ =](?:\d[\w.]*|[\w./{}\":]*[\w}\"]))?")
_VARIABLE = re.compile(r"\b([A-Z][A-Z0-9_]{3,79})=([^\s`'\",;]{0,199}[^\s`'\",;.])")
_WISHED = re.compile(
    r"(?i)\b(?:unless|without|requires?|needs?|only|until|support(?:s|ed)?(?: on| for)?|works? (?:on|with)|>=)\b[^.;,]*$"
)
_WSL = re.compile(r"(?i)\bwsl ?2?\b")


def recognises(text: Text) -> bool:
    """Whether a card, a version, or the name of one of the packages stands in it."""
    facts = read(text)
    machine = facts.machine
    return machine.cards is not None or bool(machine.software or facts.command)


def read(text: Text) -> Facts:
    said = text.text[:MAX_TEXT]
    card = _card(said)
    counted = _COUNT.search(said) if card else None
    count = int(counted[1]) if counted else 1
    command = _COMMAND.search(said)
    return Facts(
        Machine(
            cards=None if card is None else (card,) * count,
            count_known=counted is not None,
            software=dict(_versions(said)),
            platform={"wsl2": True, "linux": True} if _WSL.search(said) else {},
            described=True,
        ),
        environment=dict(match.groups() for match in _VARIABLE.finditer(said) if not _wished(match)),
        command=tuple(split_words(command[0])) if command else (),
        flags=() if command else tuple(_flags(said)),
        words=_TARGET.sub(" ", said),  # a capability is a fact, and what kernels want of it is another one
    )


def _versions(text: str) -> Iterator[tuple[str, str]]:
    found: dict[str, set[str]] = {}
    for match in _VERSION.finditer(text):
        called = match[1].lower()
        name = _CALLED.get(called) or package_name(called)
        if name is not None:
            found.setdefault(name, set()).add(_as_stated(name, match["version"], match["more"] or ""))
    for name, versions in found.items():
        if len(versions) == 1 and (version := versions.pop()):
            yield name, version


def _as_stated(name: str, version: str, more: str) -> str:
    """`0.19.x` for a line of releases; "" where what is said covers several lines."""
    if more.strip(" -/")[:1].isdigit() or more.startswith("+"):
        return ""
    parts = version.split(".")
    if len(parts) == 1:  # `driver 580`; a single number behind a package says nothing: vLLM V1 is no release
        return f"{version}.x" if name in ("nvidia-driver", "cuda-runtime") and version.isdigit() else ""
    if name not in _SHORT and int(parts[0]) >= _YEAR:
        return ""  # of a container that is named by year and month
    if name not in _SHORT and len(parts) == 2 and parts[1].isdigit():
        return f"{version}.x"
    if more and len(parts) > 2 and parts[1].isdigit():
        return f"{parts[0]}.{parts[1]}.x"
    return version.rstrip(".")


def _wished(match: re.Match[str]) -> bool:
    """Whether what is named is said to be missing, wanted or supported, and not to be there."""
    return _WISHED.search(match.string[max(0, match.start() - 80) : match.start()]) is not None


def _flags(text: str) -> Iterator[str]:
    for match in _FLAG.finditer(text):
        if not _wished(match):
            yield from match[0].split(" ")


def _card(text: str) -> Card | None:
    """The one card, or target, that is named; None for several."""
    stated = {found for match in _TARGET.finditer(text) if not _wished(match) and (found := _target(match))}
    named = set(_named(text))
    if len(stated) == 1:
        (target,) = stated
        fitting = [gpu for gpu in named if gpu.target == target]
        if len(fitting) == 1:
            return _one(fitting[0])
        return Card(target.name, target, vendor=target.vendor)
    if stated or len({gpu.target for gpu in named}) != 1:
        return None
    first = min(named, key=lambda gpu: gpu.id)
    return _one(first) if len(named) == 1 else Card(first.name, first.target, vendor=first.target.vendor)


def _one(gpu: Gpu) -> Card:
    return (described_machine(gpu.id).cards or ())[0]


def _target(match: re.Match[str]) -> Target | None:
    """`sm_86`, `gfx942` or a capability; None where there is no such target."""
    name = (match[2] or match[3] or f"sm_{match[1]}").lower()
    try:
        return find_target(name)
    except UnknownName:
        return None


def _named(text: str) -> Iterator[Gpu]:
    """The cards whose names stand in the text, as people say them: `RTX 3090`, `3060 Ti`, `H100`."""
    for match in _CARD.finditer(text):
        if _wished(match):
            continue
        words = match[0].split()
        while words:
            phrase = " ".join(words)
            found = gpus_called(phrase) if _MODEL.search(phrase) and not _SIZE.fullmatch(phrase) else ()
            if found:
                yield from found
                break
            words.pop()


READER = Reader("a report in words", recognises, read, whole=True)

"""What to do about a gotcha, in the order in which people can: what can be typed, and imports last."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu_gotchas.doctor.assess import Assessment
from gpu_gotchas.doctor.remedies import Remedy, Way
from gpu_gotchas.records.model import Workaround

_MOST = 2
# What a shell takes, in a sentence: a flag, or a variable of an engine or of what it stands on.
_TYPED = re.compile(r"--[a-z]|\b(?:VLLM|SGLANG|SGL|PYTORCH|TORCH|TRITON|CUDA|NCCL|FLA)_[A-Z]")
_UPGRADE = re.compile(r"Upgrade to \S+ [0-9.]+")
AUTHORS = "For authors of kernels"


def advice(one: Assessment, most: int = _MOST, *, authors: bool = True) -> Iterator[str]:
    """The fix that is in force, or else `most` lines that help whoever starts a server, and the import for
    authors of kernels: where `authors` is not asked for, only if nothing else helps."""
    active = next((each for each in one.remedies if each.active), None)
    if active is not None:
        where = ", where gpu-gotchas is installed beside vLLM" if active.way is Way.PATCH else ""
        yield f"Fix in force: {active.how}{where}  ({_kind(active)})"
        return
    if not one.remedies:
        yield "No fix is known."
    typed = list(_typed(one))
    for number, (label, text) in enumerate(typed[:most]):
        yield f"{'Or' if number else label}: {text}"
    author = next((each for each in one.remedies if each.for_authors), None)
    if author is not None and (authors or not typed):
        yield f"{AUTHORS}: {author.how}  ({_kind(author)})"


def short_advice(one: Assessment) -> str:
    """One line: what is in force, what to type, or that nothing is known."""
    return list(advice(one, 1, authors=False))[-1]


def _typed(one: Assessment) -> Iterator[tuple[str, str]]:
    """Flags and variables, patches, releases, and the rest in words. A label goes with each."""
    used = [each for each in one.remedies if not each.for_authors]
    settings = [each for each in used if each.way is Way.SETTING]
    upgrade = any(each.way is Way.UPGRADE for each in used)
    ways = [way for way in one.gotcha.workaround if not (upgrade and _UPGRADE.match(way.do))]
    typed = [way for way in ways if _TYPED.search(way.do) and not _said(way, settings)]
    for each in settings:
        yield "Fix", _remedy(each)
    if typed and not settings:
        yield "Do", typed[0].do
    for each in used:
        if each.way is not Way.SETTING:
            yield "Fix", _remedy(each)
    for way in (*typed, *(way for way in ways if way not in typed)):
        if not _said(way, settings) and (settings or way is not next(iter(typed), None)):
            yield "Do", way.do


def _said(way: Workaround, settings: list[Remedy]) -> bool:
    return any(each.fix.use in way.do for each in settings)


def _remedy(each: Remedy) -> str:
    return f"{each.how}  ({_kind(each)}{f'; {each.open}' if each.open else ''})"


def _kind(each: Remedy) -> str:
    return f"{each.fix.type.value}, {each.fix.risk.value} risk"

"""On which cards and versions a gotcha strikes, as people say them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpu_gotchas.hardware.gpus import Gpu
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.model import Case
from gpu_gotchas.records.setting import Setting
from gpu_gotchas.site.evidence import cards_run, names_hardware, standing_reports
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import blocks, bullets, code, details, text
from gpu_gotchas.site.parts import case_versions
from gpu_gotchas.site.reach import strikes
from gpu_gotchas.site.wording import either, gpu_name, hardware, plural, target_words

_FEW = 6
_EXAMPLES = 3


def affected(entry: Entry, knowledge: Knowledge, links: Links) -> str:
    """One list for each case, then the cards by name."""
    cases = [bullets(_case(entry, case, knowledge)) for case in entry.gotcha.affects]
    if not cases:
        return ""
    parts = cases if len(cases) == 1 else _numbered(cases)
    return blocks("## On which cards and versions", *parts, _cards(entry, knowledge, links))


def _numbered(cases: Sequence[str]) -> list[str]:
    """Cases apart from each other: two lists in a row would become one."""
    return [part for case in cases for part in (("Or:" if case is not cases[0] else "Either:"), case)]


def _case(entry: Entry, case: Case, knowledge: Knowledge) -> Iterator[str]:
    yield f"Cards: {text(hardware(case.hardware, knowledge.targets))}"
    if case.software:
        yield f"Versions: {text(case_versions(entry, [case]))}"
    if case.platform:
        yield f"Platform: {text(either(case.platform))}"
    if case.when:
        yield f"Settings: {', and '.join(_setting(*item, knowledge.settings) for item in case.when.items())}"
    if case.provided:
        yield f"Provided that {text(case.provided)}"


def _setting(name: str, values: Sequence[str], known: Mapping[str, Setting]) -> str:
    setting = known.get(name)
    if setting is None:
        return f"{code(name)} is {either([code(value) for value in values])}"
    if setting.flag and not setting.key and tuple(values) in (("true",), ("false",)):
        default = ", as by default" if setting.default in values else ""
        return f"{'with' if values[0] == 'true' else 'without'} {code(setting.flag)}{default}"
    shown = either([code(value) + " (the default)" * (value == setting.default) for value in values])
    place = f" in {code(setting.flag)}" if setting.key and setting.flag else ""
    return f"{code(setting.key or setting.flag or setting.variable or name)}{place} is {shown}"


def _cards(entry: Entry, knowledge: Knowledge, links: Links) -> str:
    """The cards of the catalogue, by target. Names only: a link for each would outweigh the page."""
    gotcha = entry.gotcha
    if not names_hardware(gotcha):
        return ""
    struck = [gpu for gpu in knowledge.gpus if strikes(gotcha, gpu) is not Truth.NO]
    if not struck:
        return ""
    if len(struck) <= _FEW:
        return f"These are {', '.join(links.of_gpu(gpu) for gpu in struck)}."
    lines = []
    for target in knowledge.targets:
        here = [text(gpu_name(gpu)) for gpu in struck if gpu.target == target]
        if here:
            lines.append(f"{target_words(target)}: {', '.join(here)}")
    examples = ", ".join(text(gpu_name(gpu)) for gpu in _examples(entry, struck))
    return details(f"{plural(len(struck), 'card')} of the catalogue, such as {examples}", bullets(lines))


def _examples(entry: Entry, struck: Sequence[Gpu]) -> list[Gpu]:
    """Cards that were run or reported on come first; then some that lie far apart."""
    named = {on for report in standing_reports(entry.gotcha) for on in report.on} | cards_run(entry)
    first = [gpu for gpu in struck if gpu.id in named][:_EXAMPLES]
    rest = [gpu for gpu in struck if gpu not in first]
    missing = _EXAMPLES - len(first)
    return first + [rest[len(rest) * place // (missing + 1)] for place in range(1, missing + 1)]

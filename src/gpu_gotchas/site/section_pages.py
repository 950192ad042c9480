"""Ways in by setting and by what is seen: one page each, with a section for each name."""

from __future__ import annotations

from collections.abc import Mapping

from gpu_gotchas.records.model import Kind
from gpu_gotchas.records.setting import Setting
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import blocks, bullets, code, front_matter, text
from gpu_gotchas.site.parts import by_severity, severity_chip
from gpu_gotchas.site.wording import either, package_name, plural

_KINDS = {
    Kind.REFUSED: ("It refuses to start", "It stops with a reason, before the first request."),
    Kind.CRASH: ("It crashes", "An exception, a signal or a device fault, while it starts or later."),
    Kind.HANG: ("It hangs", "Nothing comes back, and nothing is said."),
    Kind.WRONG_RESULT: ("The result is wrong", "No error at all: numbers or text that should be others."),
    Kind.SLOW: ("It is slow", "It works, and takes longer than it should."),
    Kind.MISLEADING_MESSAGE: ("A message misleads", "What is printed is not what is."),
}


def by_kind(knowledge: Knowledge, links: Links) -> str:
    """What somebody sees, in the words of somebody who sees it."""
    sections = []
    for kind, (heading, meaning) in _KINDS.items():
        here = [entry for entry in knowledge.standing if entry.gotcha.kind is kind]
        if here:
            sections.append(blocks(f"## {heading} {{#{kind.value}}}", meaning, _list(here, links)))
    return blocks(
        front_matter("By symptom", "Known GPU inference failures by what is seen."),
        "# By symptom",
        *(sections or ["No record is there yet."]),
    )


def by_setting(knowledge: Knowledge, links: Links) -> str:
    """The settings that bring a failure about, with the values that do."""
    found: dict[str, list[Entry]] = {}
    for entry in knowledge.standing:
        for name in {name for case in entry.gotcha.affects for name in case.when}:
            found.setdefault(name, []).append(entry)
    sections = [
        _setting(name, found[name], knowledge.settings, links) for name in sorted(found, key=str.lower)
    ]
    return blocks(
        front_matter(
            "By setting", "Known GPU inference failures by the flag or variable that brings them about."
        ),
        "# By setting",
        "A failure stands here when it needs a flag, a variable or a property of the model to come about."
        if sections
        else "No record names a setting yet.",
        *sections,
    )


def _setting(name: str, entries: list[Entry], known: Mapping[str, Setting], links: Links) -> str:
    """Values are those of this section's setting alone: a record may need others as well."""
    setting = known.get(name)
    whose = "A property of the model" if setting and setting.fact else None
    meaning = f"{whose or text(package_name(setting.package))}. {text(setting.meaning)}" if setting else ""
    values = {
        entry.gotcha.id: either(
            [
                code(value)
                for value in dict.fromkeys(
                    v for case in entry.gotcha.affects for v in case.when.get(name, ())
                )
            ]
        )
        for entry in entries
    }
    return blocks(f"## {_heading(name, setting)}", meaning, _list(entries, links, values))


def _heading(name: str, setting: Setting | None) -> str:
    if setting is None:
        return code(name)
    shown = setting.flag or setting.variable
    if shown is None:
        return text(name.replace("_", " "))
    return f"{code(shown)}, {code(setting.key)}" if setting.key else code(shown)


def _list(entries: list[Entry], links: Links, values: Mapping[str, str] | None = None) -> str:
    shown = []
    for entry in by_severity(entries):
        value = f" with {values[entry.gotcha.id]}" if values else ""
        met = (
            f", {plural(entry.gotcha.reporter_count, 'person', 'people')}"
            if entry.gotcha.reporter_count
            else ""
        )
        shown.append(f"{links.gotcha(entry.gotcha.id)}{value} {severity_chip(entry.gotcha)}{met}")
    return bullets(shown)

"""The table of all gotchas, whole without a script. With one (docs/javascripts/table.js) it is filtered and
sorted, and the address says how.

It is HTML, which mkdocs leaves alone: a thousand rows of Markdown would take most of the time of a build.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.model import Kind, Severity
from gpu_gotchas.site.evidence import gpu_target, standing_reports
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import attribute, blocks, front_matter
from gpu_gotchas.site.parts import by_severity, card_targets, count, people, severity_chip, status_chip
from gpu_gotchas.site.reach import strikes
from gpu_gotchas.site.wording import KINDS, package_name

EVERY = "*"
"""Every target, as the script reads it: two dozen names in most rows would be a tenth of the page."""
_HEADS = ("Gotcha", "Severity", "Effect", "Known", "Reported by", "Added")


def page(knowledge: Knowledge, links: Links) -> str:
    entries = by_severity(knowledge.entries)
    return blocks(
        front_matter("All gotchas", "Every known GPU inference failure in one table.", hide=["toc"]),
        "# All gotchas",
        f"{count(knowledge.entries, 'gotcha')}; worst first. "
        f"What is believed and not yet proven is under {links.to('candidates.md', 'work wanted')}.",
        _filters(knowledge, links),
        _table(entries, knowledge),
    )


def _filters(knowledge: Knowledge, links: Links) -> str:
    """Hidden until the script is there that makes them work. Names are those of the address."""
    severities = [(one.value, one.value) for one in Severity]
    kinds = [(one.value, KINDS[one]) for one in Kind]
    packages = [(name, package_name(name)) for name in links.sitemap.packages]
    targets = [(one.name, said) for one, said in card_targets(knowledge)]
    return (
        '<form class="gg-filters" hidden role="search" aria-label="Filter the table">\n'
        '<label>Words <input type="search" name="text" autocomplete="off" spellcheck="false"></label>\n'
        + "\n".join(
            [
                _select("Card", "target", targets),
                _select("Package", "package", packages),
                _select("Severity", "severity", severities),
                _select("Effect", "kind", kinds),
                _select("Known", "known", [("proven", "proven"), ("unproven", "not proven")]),
            ]
        )
        + '\n<button type="reset">Show all</button>\n<output aria-live="polite"></output>\n</form>'
    )


def _select(label: str, name: str, options: Sequence[tuple[str, str]]) -> str:
    shown = "".join(
        f'<option value="{attribute(value)}">{attribute(said)}</option>' for value, said in options
    )
    return f'<label>{label} <select name="{name}"><option value="">any</option>{shown}</select></label>'


def _table(entries: Iterable[Entry], knowledge: Knowledge) -> str:
    rows = "\n".join(_row(entry, knowledge) for entry in entries)
    if not rows:
        return "No record is there yet."
    heads = "".join(f'<th scope="col">{head}</th>' for head in _HEADS)
    return (
        f'<div class="gg-gotchas">\n<table class="gg-all">\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def _row(entry: Entry, knowledge: Knowledge) -> str:
    """What is filtered by and not shown stands in attributes, as words with blanks between."""
    gotcha = entry.gotcha
    packages = sorted({name for case in gotcha.affects for name in case.software})
    settings = sorted({name for case in gotcha.affects for name in case.when})
    targets = target_names(entry, knowledge)
    hidden = {
        "severity": "" if gotcha.status.withdrawn else gotcha.severity.value,
        "kind": gotcha.kind.value,
        "known": "proven" if entry.status.value in ("verified", "reproduced") else "unproven",
        "target": EVERY if len(targets) == len(card_targets(knowledge)) else " ".join(targets),
        "package": " ".join(packages),
        "words": " ".join([*gotcha.aliases, *gotcha.concepts, *settings, gotcha.symptom.summary]),
    }
    attributes = "".join(f' data-{name}="{attribute(value)}"' for name, value in hidden.items() if value)
    cells = [
        (severity_chip(gotcha), ""),
        (attribute(KINDS[gotcha.kind]), ""),
        (status_chip(entry), ""),
        (people(gotcha), str(gotcha.reporter_count)),
        (attribute(gotcha.added), ""),
    ]
    shown = "".join(
        f'<td data-sort="{attribute(key)}">{said}</td>' if key else f"<td>{said}</td>" for said, key in cells
    )
    head = f'<th scope="row"><a href="{attribute(gotcha.id)}/">{attribute(gotcha.title)}</a></th>'
    return f"<tr{attributes}>{head}{shown}</tr>"


def target_names(entry: Entry, knowledge: Knowledge) -> list[str]:
    """Targets of which a card is struck, or reported on. A withdrawn record strikes none."""
    if entry.gotcha.status.withdrawn:
        return []
    reported = {gpu_target(on, knowledge) for report in standing_reports(entry.gotcha) for on in report.on}
    return [
        target.name
        for target, _ in card_targets(knowledge)
        if target.name in reported
        or any(strikes(entry.gotcha, gpu) is not Truth.NO for gpu in knowledge.gpus_by_target[target.name])
    ]

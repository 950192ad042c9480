"""Pieces that several kinds of page share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gpu_gotchas.hardware.gpus import Gpu
from gpu_gotchas.hardware.targets import Target
from gpu_gotchas.records.holes import Literal
from gpu_gotchas.records.model import Candidate, Case, Gotcha, Report, Severity, Signature, Status
from gpu_gotchas.records.templates import Template
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Subject
from gpu_gotchas.site.evidence import Mark, ground
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import block, blocks, bullets, code, fence, link, table, text
from gpu_gotchas.site.wording import KINDS, STATUSES, gpu_name, listed, plural, target_words, versions

_SEVERITIES = {severity: place for place, severity in enumerate(Severity)}
MOST, FEW = 25, 12
"""Rows of a list of which there are many: whole ones on each card's page would be most of the site."""
_EXAMPLES = 3
# A sign for each mark, so that none is told by its colour alone. U is upstream's own code, whoever ran it.
SIGNS = {
    Mark.CLAIMED: "○",
    Mark.CLEAN: "ok",
    Mark.REPORTED: "R",
    Mark.LOGIC: "L",
    Mark.UPSTREAM_CPU: "U",
    Mark.MECHANISM: "M",
    Mark.UPSTREAM: "U",
    Mark.CARD: "C",
}


def chip(label: str, kind: str) -> str:
    """A word in a frame. label: plain text; kind: a name that the stylesheet knows."""
    return f'<span class="gg-chip gg-{kind}">{text(label)}</span>'


def severity_chip(gotcha: Gotcha) -> str:
    """Nothing for a withdrawn record: what is not so is not bad."""
    return "" if gotcha.status.withdrawn else chip(gotcha.severity.value, gotcha.severity.value)


def known(entry: Entry) -> str:
    """How well a record is known, in one phrase: on what its proof rests, or why it has none. Plain text."""
    shown = ground(entry)
    if shown and entry.status is Status.VERIFIED:
        return shown.value
    if shown and entry.status is Status.REPRODUCED:
        return f"failure {shown.value}, fix not yet"
    return STATUSES[entry.status]


def status_chip(entry: Entry) -> str:
    return chip(known(entry), f"status-{entry.status.value}")


def count(entries: Iterable[Entry], what: str = "") -> str:
    """`9 gotchas, 1 withdrawn`: a withdrawn record is none. what: the word, where one is wanted."""
    found = list(entries)
    withdrawn = sum(entry.gotcha.status.withdrawn for entry in found)
    standing = len(found) - withdrawn
    said = plural(standing, what) if what else str(standing)
    return f"{said}, {withdrawn} withdrawn" if withdrawn else said


def by_severity(entries: Iterable[Entry]) -> list[Entry]:
    """Worst first; then what most people met; withdrawn ones last."""
    return sorted(
        entries,
        key=lambda entry: (
            entry.gotcha.status.withdrawn,
            _SEVERITIES[entry.gotcha.severity],
            -entry.gotcha.reporter_count,
            entry.gotcha.id,
        ),
    )


def people(gotcha: Gotcha) -> str:
    """How many met it; nothing where nobody is known to."""
    return plural(gotcha.reporter_count, "person", "people") if gotcha.reporter_count else ""


def gotcha_table(entries: Iterable[Entry], links: Links) -> str:
    """Records with what they do and how well they are known."""
    rows = [
        [
            links.gotcha(entry.gotcha.id),
            severity_chip(entry.gotcha),
            text(KINDS[entry.gotcha.kind]),
            status_chip(entry),
            people(entry.gotcha),
        ]
        for entry in by_severity(entries)
    ]
    found = table(["Gotcha", "Severity", "Effect", "Known", "Reported by"], rows)
    return block("gotchas", found) if found else ""


def card_targets(knowledge: Knowledge) -> list[tuple[Target, str]]:
    """Targets of which there is a card, with words to choose one by: `8.6: RTX 3090, A10, A40`."""
    found = []
    for target in knowledge.targets:
        cards = sorted(knowledge.gpus_by_target.get(target.name, ()), key=_familiarity)
        if cards:
            names = ", ".join(map(gpu_name, cards[:_EXAMPLES]))
            found.append((target, f"{target_words(target)}: {names}"))
    return found


def _familiarity(gpu: Gpu) -> tuple[bool, int]:
    """Plain names come first, of no mobile, embedded or cut-down card; of these the largest."""
    plain = re.fullmatch(r"nvidia-(?:[rg]tx-)?[a-z]*\d+|amd-[a-z0-9-]*\d+x?", gpu.id)
    return plain is None, -(gpu.multiprocessors or 0)


def candidate_list(candidates: Iterable[Candidate], links: Links) -> str:
    return bullets(
        f"{links.gotcha(one.id)} ({plural(one.reporter_count, 'person', 'people')})" for one in candidates
    )


def signatures(found: Sequence[Signature]) -> str:
    """The lines to look for, with `…` for what differs from time to time."""
    return blocks(*(_signature(one) for one in found))


def _signature(signature: Signature) -> str:
    lines = _lines(signature.lines)
    notes = []
    if signature.basis_url:
        notes.append(f"As shown in {link('this report', signature.basis_url)}.")
    if signature.context:
        near = ", ".join(code(" ".join(_seen(one).split())) for one in signature.context)
        notes.append(f"Near it there may be: {near}.")
    return blocks(lines, *notes)


def _lines(templates: Sequence[str]) -> str:
    return fence("\n".join(" ".join(_seen(template).split("\n")) for template in templates))


def _seen(template: str) -> str:
    try:
        parts = Template.parse(template).parts
    except ValueError:
        return template
    return "".join(part.text if isinstance(part, Literal) else "…" for part in parts)


def reports(found: Sequence[Report], links: Links) -> str:
    return bullets(_report(report, links) for report in sorted(found, key=lambda one: one.date, reverse=True))


def _report(report: Report, links: Links) -> str:
    cards = f" on {listed([links.gpu(on) for on in report.on])}" if report.on else ""
    says = "" if report.says == "reproduces" else f": {text(report.says.replace('-', ' '))}"
    return f"{link(text(report.by or 'a report'), report.url)}, {text(report.date)}{cards}{says}"


def run_upstream(entry: Entry) -> frozenset[str]:
    """Packages whose own code was shown to fail."""
    return frozenset(
        result.package.partition("==")[0]
        for result in entry.results
        if result.package and result.subject is Subject.UPSTREAM and result.outcome is Outcome.REPRODUCED
    )


def case_versions(
    entry: Entry, cases: Iterable[Case], package: str | None = None, *, brief: bool = False
) -> str:
    """Affected releases of one package, or of all, each said once. Plain text; brief leaves out how known."""
    run = run_upstream(entry)
    said = [
        versions(name, ranges, run=None if brief else name in run)
        for case in cases
        for name, ranges in case.software.items()
        if package in (None, name)
    ]
    return "; ".join(dict.fromkeys(said))

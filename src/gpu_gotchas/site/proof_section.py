"""What was run of a gotcha and what came out; folded: its own words, versions and dates, each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpu_gotchas.repro.probe import Subject
from gpu_gotchas.repro.results import Result
from gpu_gotchas.site.knowledge import Entry
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import blocks, bullets, details, text
from gpu_gotchas.site.outcome_wording import (
    FEW_TARGETS,
    NOTHING_TO_ADD,
    named,
    natural,
    outcome_words,
    targets_of,
)
from gpu_gotchas.site.proof_rows import Group, environment, grouped, order, rows_of, versions_and_day, way
from gpu_gotchas.site.wording import plural

_MOST_REASONS = 3
_LONGEST_REASON = 300

_SUBJECTS = {
    Subject.MECHANISM: "*Mechanism* is code of this project that models the fault.",
    Subject.UPSTREAM: "*Upstream* is the package's own code.",
}


def proof(entry: Entry, links: Links) -> str:
    """Results by how they were had, and what is still missing."""
    rows = rows_of(entry.results, entry.gotcha)
    subjects = [said for subject, said in _SUBJECTS.items() if subject in {row.subject for row in rows}]
    folded = bullets([*_words(entry, links), *_versions(entry.results)])
    return blocks(
        "## Proof",
        bullets(f"**{row.how}** ({row.subject.value}): {row.said}" for row in rows) or "Nothing was run yet.",
        details("In its own words, with versions and dates", folded) if folded else "",
        " ".join(subjects),
        _missing(entry),
        _stale(entry),
    )


def _words(entry: Entry, links: Links) -> Iterator[str]:
    """What failed in its own words, equal ones once; then by name the targets that were only counted."""
    counted: list[str] = []
    for alike in grouped(sorted(entry.results, key=order), lambda one: (outcome_words(one), one.masked_by)):
        reasons, targets = _reasons(alike), targets_of(alike)
        if reasons:
            masked = f": {links.gotcha(alike[0].masked_by)}" if alike[0].masked_by else ""
            yield f"{outcome_words(alike[0])}{masked}{named(targets)}{reasons}"
        elif len(targets) > FEW_TARGETS:
            counted.append(f"{len(targets)} targets: {', '.join(map(text, targets))}")
    yield from dict.fromkeys(counted)


def _versions(results: Iterable[Result]) -> Iterator[str]:
    """With what each was run, and when: what was run with the same versions together."""
    for alike in grouped(sorted(results, key=order), environment):
        ways = grouped(alike, lambda one: (one.tier, one.device, (one.package or "").partition("==")[0]))
        first, *rest = map(_briefly, ways)
        yield f"{'; '.join([first, *(one[:1].lower() + one[1:] for one in rest)])}: {versions_and_day(alike)}"


def _briefly(group: Group) -> str:
    releases = sorted({(one.package or "").partition("==")[2] for one in group}, key=natural)
    return way(group, [(releases[0], releases[-1], len(releases))])


def _reasons(group: Group) -> str:
    """The words of several failures each with where they were said; the rest of many is in the JSON."""
    found: dict[str, list[Result]] = {}
    for result in group:
        # Of a measured quantity the number stands there already.
        if result.reason.strip() and not result.measured and result.outcome not in NOTHING_TO_ADD:
            said = result.reason.strip().removeprefix(f"{result.masked_by} strikes first: ")
            found.setdefault(said, []).append(result)
    shown = [
        (f"{_place(results)}: " if len(found) > 1 else "") + f"<code>{_cut(reason)}</code>"
        for reason, results in list(found.items())[:_MOST_REASONS]
    ]
    if len(found) > _MOST_REASONS:
        shown.append(f"{len(found) - _MOST_REASONS} more in the JSON")
    return "".join(f"<br>{one}" for one in shown)


def _place(results: Group) -> str:
    return ", ".join(map(text, targets_of(results))) or _briefly(results)


def _cut(reason: str) -> str:
    if len(reason) <= _LONGEST_REASON:
        return text(reason)
    return f"{text(reason[:_LONGEST_REASON])} … (whole in the JSON)"


def _missing(entry: Entry) -> str:
    """What keeps the record from being proven."""
    if entry.proof is None or entry.gotcha.status.withdrawn:
        return ""
    missing = [*entry.proof.missing_bug, *entry.proof.missing_fix]
    if not missing:
        return ""
    return details(f"Not shown yet: {plural(len(missing), 'thing')}", bullets(map(text, missing)))


def _stale(entry: Entry) -> str:
    if entry.proof is None or not entry.proof.stale:
        return ""
    return (
        f"{plural(entry.proof.stale, 'older result')} about an earlier form of this record "
        f"{'is' if entry.proof.stale == 1 else 'are'} left out: what changed has to be shown again."
    )

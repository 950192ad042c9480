"""Results as rows: what was had alike, in one setting or in several releases, and what it says in short."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Subject, Tier
from gpu_gotchas.repro.results import Result
from gpu_gotchas.site.markdown import text
from gpu_gotchas.site.outcome_wording import (
    natural,
    on_targets,
    outcome_words,
    targets_of,
    what_was_measured,
)
from gpu_gotchas.site.wording import listed, package_name

_ORDER = (Tier.DEVICE, Tier.PACKAGE, Tier.COMPILE, Tier.LOGIC)
Group = Sequence[Result]
Span = tuple[str, str, int]
"""Releases that follow each other: the first, the last, and how many."""


@dataclass(frozen=True, slots=True)
class Row:
    """Results that were had alike.

    said: what they say in short. apart: versions, where others of this setting came to something else. spans:
    of releases, () where none are run.
    """

    results: Group
    said: str
    apart: str = ""
    spans: tuple[Span, ...] = ()

    @property
    def subject(self) -> Subject:
        return self.results[0].subject

    @property
    def how(self) -> str:
        return " ".join(filter(None, [way(self.results, self.spans), self.apart]))


def rows_of(results: Iterable[Result], gotcha: Gotcha) -> list[Row]:
    found: list[Row] = []
    for setting in sorted(grouped(sorted(results, key=order), _setting), key=_release):
        alike = _agreeing(setting)
        for some in alike:
            apart = versions_and_day(some) if len(alike) > 1 else ""
            found.append(Row(some, _brief(some, gotcha), apart, _span(some[0])))
    return _merged(found)


def _agreeing(setting: Group) -> list[Group]:
    """What was run with each versions; together where no question was answered in two ways."""
    found: list[tuple[list[Result], dict[Hashable, Outcome]]] = []
    for group in grouped(setting, environment):
        answers: dict[Hashable, Outcome] = {(one.probe, one.role, one.target): one.outcome for one in group}
        for results, known in found:
            if all(known.get(question, outcome) is outcome for question, outcome in answers.items()):
                results += group
                known.update(answers)
                break
        else:
            found.append((list(group), answers))
    return [results for results, _ in found]


def _span(result: Result) -> tuple[Span, ...]:
    release = (result.package or "").partition("==")[2]
    return ((release, release, 1),) if result.tier is Tier.PACKAGE else ()


def _merged(rows: Iterable[Row]) -> list[Row]:
    """Releases of a package that say the same, as one; those between them that say otherwise stay apart."""
    found: dict[Hashable, Row] = {}
    last: Hashable = None
    for number, row in enumerate(rows):
        key: Hashable = (_package(row.results), row.subject, row.said, row.apart) if row.spans else number
        before = found.get(key)
        if before is None:
            found[key] = row
        else:
            *earlier, (first, end, count) = before.spans
            ((release, _, _),) = row.spans
            spans = [(first, release, count + 1)] if last == key else [(first, end, count), *row.spans]
            found[key] = replace(before, results=(*before.results, *row.results), spans=(*earlier, *spans))
        last = key
    return list(found.values())


def _package(group: Group) -> str:
    return (group[0].package or "").partition("==")[0]


def _brief(group: Group, gotcha: Gotcha) -> str:
    """In one line what failed, what holds, what is clean; targets of which several things hold stand once."""
    found: dict[tuple[str, str], list[str]] = {}
    for some in grouped(group, outcome_words):
        head, _, words = outcome_words(some[0]).rpartition(": ")
        where = found.setdefault((head, on_targets(targets_of(some))), [])
        where.append(f"{words}{what_was_measured(some, gotcha)}")
    return "; ".join(
        f"{f'{head}: ' if head else ''}{', '.join(said)}{on}" for (head, on), said in found.items()
    )


def grouped(results: Iterable[Result], key: Callable[[Result], Hashable]) -> list[list[Result]]:
    found: dict[Hashable, list[Result]] = {}
    for result in results:
        found.setdefault(key(result), []).append(result)
    return list(found.values())


def order(result: Result) -> tuple[int, str, str]:
    return _ORDER.index(result.tier), result.role.value, result.probe.value


def _release(group: Group) -> tuple[int, list[tuple[str, int]]]:
    """Releases in their order, which is not that of their letters."""
    return _ORDER.index(group[0].tier), natural(group[0].package or "")


def _setting(result: Result) -> Hashable:
    """What says how a result was had, versions apart."""
    return result.tier, result.subject, result.package, result.device


def environment(result: Result) -> Hashable:
    """The versions beside the package that is under test."""
    tested = (result.package or "").partition("==")[0]
    return tuple(sorted((name, version) for name, version in result.versions.items() if name != tested))


def way(group: Group, spans: Sequence[Span] = ()) -> str:
    """How these were run, versions apart."""
    result = group[0]
    if result.tier is Tier.DEVICE:
        return f"On a card: {text(result.device or 'not named')}"
    if result.tier is Tier.PACKAGE:
        releases = listed([_releases(*one) for one in spans])
        return f"{text(package_name(_package(group)))} {releases}, without a GPU"
    return "Compiled, nothing launched" if result.tier is Tier.COMPILE else "Reasoning, on a CPU"


def _releases(first: str, last: str, number: int) -> str:
    """`0.20.0`, or `0.20.0 to 0.33.0 (26 releases)`."""
    return text(first) if number == 1 else f"{text(first)} to {text(last)} ({number} releases)"


def versions_and_day(group: Group) -> str:
    newest = max(group, key=lambda result: result.date)
    tested = (newest.package or "").partition("==")[0]  # stands before it
    used = [
        f"{text(package_name(name))} {text(version)}"
        for name, version in sorted(newest.versions.items())
        if name != tested
    ]
    return f"{f'with {listed(used)}' if used else 'run'} on {text(newest.date[:10])}"

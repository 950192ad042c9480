"""Rules about reports and links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gpu_gotchas.hardware.catalogue import gpus
from gpu_gotchas.records.lint.base import Entry, Finding, each_entry, each_gotcha
from gpu_gotchas.records.lint.places import links
from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.records.reporters import count_reporters
from gpu_gotchas.records.shapes import suggestion

_REPOSITORY = r"https://github\.com/[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+"
_EXACT = re.compile(
    _REPOSITORY
    + r"/((issues|pull|discussions)/[1-9][0-9]*"
    + r"|commit/[0-9a-f]{7,40}"
    + r"|(blob|tree)/([0-9a-f]{40}|v?[0-9]+(\.[0-9]+)+([.-]?[a-z0-9]+)*)(/[^#?]*)?"
    + r"|releases/tag/[^/#?]+"
    + r"|security/advisories/GHSA-[0-9a-z-]+)(#[A-Za-z0-9_-]+)?"
)
_GITHUB = re.compile(r"https://(www\.)?github\.com([/:]|$)", re.IGNORECASE)


@each_entry
def reporter_count_is_counted(entry: Entry) -> Iterator[Finding]:
    """The number is shown as evidence, so it is what the reports add up to, one voice a person."""
    counted = count_reporters(entry.reports)
    if entry.reporter_count != counted:
        yield Finding(
            "reporter_count",
            f"is {entry.reporter_count}, but {counted} distinct `by` have a latest report that reproduces",
        )


@each_entry
def reported_gpus_are_known(entry: Entry) -> Iterator[Finding]:
    """Pages for each GPU are made from these ids; a stray one is shown nowhere."""
    known = {gpu.id for gpu in gpus()}
    for number, report in enumerate(entry.reports):
        for index, name in enumerate(report.on):
            if name not in known:
                yield Finding(
                    f"reports[{number}].on[{index}]",
                    f"{name!r} is no GPU of the catalogue{suggestion(name, known)}",
                )


@each_entry
def github_links_are_exact(entry: Entry) -> Iterator[Finding]:
    """A link must show the same thing in a year: an issue, a commit, a file at a commit or release."""
    for place, url in links(entry):
        if _GITHUB.match(url) and not _EXACT.fullmatch(url):
            yield Finding(
                place,
                f"{url} is no lasting link: use .../issues/N, .../pull/N, .../discussions/N, "
                ".../commit/HASH or .../blob/<whole hash or release's tag>/FILE",
            )


@each_entry
def reports_are_not_repeated(entry: Entry) -> Iterator[Finding]:
    """One account counts once; of several people in one thread each comment has its own link."""
    yield from _repeated("reports", [report.url for report in entry.reports])


@each_gotcha
def upstream_links_are_not_repeated(gotcha: Gotcha) -> Iterator[Finding]:
    """Two states for one issue can't both be true."""
    yield from _repeated("upstream", [link.url for link in gotcha.upstream])


def _repeated(place: str, urls: Sequence[str]) -> Iterator[Finding]:
    seen: set[str] = set()
    for number, url in enumerate(urls):
        if url.rstrip("/") in seen:
            yield Finding(
                f"{place}[{number}].url", f"{url} stands in this list already: link the comment itself"
            )
        seen.add(url.rstrip("/"))

"""Public reports as the doctor gets them, and whether it names what they are about.

A report is told in words, as somebody would paste it: its hardware, its software with versions and flags, and
in a second run its title too. What the program printed is never told: that is for search.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.search_measure import Share
from tests.corpus import BUILD, FRESH, MEASURE, Report, causes, reports

from gpu_gotchas.doctor.assess import assess_all, worst
from gpu_gotchas.doctor.claims import Claim
from gpu_gotchas.doctor.command.launch import CommandError, Launch, read_commands
from gpu_gotchas.doctor.examination import MOST, named
from gpu_gotchas.doctor.knowledge import Knowledge, build_knowledge, read_knowledge
from gpu_gotchas.doctor.readers.in_words import read
from gpu_gotchas.doctor.readers.reader import Text
from gpu_gotchas.doctor.relevance import Rarity
from gpu_gotchas.doctor.situation import Situation, situation
from gpu_gotchas.records.root import root

BUILT_ON, HELD_BACK = "built on", "held back"
PARTS = {BUILT_ON: (BUILD,), HELD_BACK: (MEASURE, FRESH)}
SAMPLE = 4
"""A cheap test asks one in so many of those held back, with titles."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one report. own: its record or candidate. told: what was told by name, own or not.

    denied: whether it was said that its own cannot happen.
    """

    report: Report
    own: Claim
    told: tuple[str, ...]
    denied: bool

    @property
    def hit(self) -> bool:
        return self.own.id in self.told

    @property
    def others(self) -> int:
        return sum(id != self.own.id for id in self.told)


def knowledge() -> Knowledge:
    return read_knowledge(build_knowledge(root()))


def ask(
    known: Knowledge, asked: Iterable[Report], *, title: bool, reported: bool = True
) -> Iterator[Outcome]:
    """title: also told. reported: whether candidates are asked too. What no claim covers is left out."""
    claims = [*known.records, *(one for one in known.candidates if one.affects and reported)]
    rarity = Rarity(claims)
    owners = _owners(claims)
    for report in asked:
        own = owners.get(causes().get(report.cause or "", report.cause or ""))
        if own is None:
            continue
        where = told(report, known, title=title)
        found = worst(
            [assess_all(claims, one.machine, one.defaults, known.settings, one.said, rarity) for one in where]
        )
        denied = any(one.gotcha.id == own.id and one.verdict.value == "cannot" for one in found)
        yield Outcome(report, own, tuple(one.gotcha.id for one in named(found)), denied)


def told(report: Report, known: Knowledge, *, title: bool) -> tuple[Situation, ...]:
    """What a report states, read as any text is: a situation for each command in it, one where there is
    none."""
    hardware = report.hardware or {}
    capability = hardware.get("compute_capability")
    stated = f"{hardware.get('gpu') or ''}, compute capability {capability}. {report.software or ''}."
    facts = read(Text(f"{stated} {report.title or ''}" if title else stated, Path(report.id)))
    launches: list[Launch | None] = []
    for words in facts.commands:
        with contextlib.suppress(CommandError):
            launches += read_commands(words, known.settings)
    return tuple(situation(facts, one, known.settings) for one in launches or [None])


def shares(outcomes: Sequence[Outcome]) -> Mapping[str, Share]:
    """Over everything that is covered, and over proven records alone."""
    proven = [one for one in outcomes if one.own.status is not None]
    return {
        "its own is named": Share(sum(one.hit for one in outcomes), len(outcomes)),
        "its own is named, proven": Share(sum(one.hit for one in proven), len(proven)),
        f"at most {MOST} others are named": Share(sum(one.others <= MOST for one in outcomes), len(outcomes)),
        "its own is said to be impossible": Share(sum(one.denied for one in outcomes), len(outcomes)),
    }


def _owners(claims: Iterable[Claim]) -> dict[str, Claim]:
    return {name: claim for claim in claims for name in (claim.id, *claim.aliases)}


def all_shares(known: Knowledge, parts: Mapping[str, Sequence[str]] = PARTS) -> dict[str, Share]:
    """Each part with and without titles, by name."""
    found: dict[str, Share] = {}
    for name, held in parts.items():
        chosen = [report for report in reports() if report.part in held]
        for words, title in (("stated", False), ("stated and title", True)):
            outcomes = list(ask(known, chosen, title=title))
            found |= {f"{name}, {words}: {what}": share for what, share in shares(outcomes).items()}
            alone = list(ask(known, chosen, title=title, reported=False))
            named_alone = Share(sum(one.hit for one in alone), len(alone))
            found[f"{name}, {words}: its own is named, proven, candidates left out"] = named_alone
    return found


def sample(known: Knowledge) -> Mapping[str, Share]:
    chosen = [report for report in reports() if report.part in PARTS[HELD_BACK]][::SAMPLE]
    return shares(list(ask(known, chosen, title=True)))

"""Which gotchas concern a GPU. Pages, links and counts all ask here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpu_gotchas.hardware.gpus import GIB, Gpu
from gpu_gotchas.hardware.machine import Card
from gpu_gotchas.hardware.truth import Truth, some
from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.site.evidence import cards_run, names_hardware
from gpu_gotchas.site.knowledge import Entry


@dataclass(frozen=True, slots=True)
class Concerning:
    """particular: those with something to say about this card that not every card has.

    every_card: the others that hold on it, as they do on any.
    """

    particular: tuple[Entry, ...]
    every_card: tuple[Entry, ...]

    def __len__(self) -> int:
        return len(self.particular) + len(self.every_card)


def concerning(entries: Iterable[Entry], gpu: Gpu) -> Concerning:
    """All that concerns the card, each once. Withdrawn ones concern none."""
    standing = [entry for entry in entries if not entry.gotcha.status.withdrawn]
    particular = tuple(entry for entry in standing if _in_particular(entry, gpu))
    named = {entry.gotcha.id for entry in particular}
    return Concerning(
        particular, tuple(entry for entry in on_every_card(standing) if entry.gotcha.id not in named)
    )


def on_every_card(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Those that claim every card alike. Withdrawn ones claim nothing."""
    return tuple(
        entry
        for entry in entries
        if entry.gotcha.affects and not names_hardware(entry.gotcha) and not entry.gotcha.status.withdrawn
    )


def strikes(gotcha: Gotcha, gpu: Gpu) -> Truth:
    """Whether the record's hardware covers this card, in one of its variants; versions and settings apart."""
    sizes: tuple[int | None, ...] = tuple(size * GIB for size in gpu.memory) or (None,)
    cards = [Card(gpu.name, gpu.target, gpu.id, size, gpu.vendor) for size in sizes]
    return some(case.hardware.on_card(card) for case in gotcha.affects for card in cards)


def _in_particular(entry: Entry, gpu: Gpu) -> bool:
    gotcha = entry.gotcha
    if names_hardware(gotcha) and strikes(gotcha, gpu) is not Truth.NO:
        return True
    return any(gpu.id in report.on for report in gotcha.reports) or gpu.id in cards_run(entry)

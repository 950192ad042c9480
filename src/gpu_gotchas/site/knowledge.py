"""Everything that pages are made from, read once. Pages are functions of this alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path

from gpu_gotchas import __version__
from gpu_gotchas.hardware.catalogue import gpus, targets
from gpu_gotchas.hardware.gpus import Gpu
from gpu_gotchas.hardware.targets import Target
from gpu_gotchas.records.loading import load_all, load_candidates
from gpu_gotchas.records.model import Candidate, Gotcha, Status
from gpu_gotchas.records.root import root as records_root
from gpu_gotchas.records.setting import Setting
from gpu_gotchas.records.settings import settings
from gpu_gotchas.repro.fingerprint import fingerprint
from gpu_gotchas.repro.probe import Tier
from gpu_gotchas.repro.proof import Proof, kept_results, prove
from gpu_gotchas.repro.results import Result
from gpu_gotchas.repro.source import read_repro
from gpu_gotchas.search.build import build_index
from gpu_gotchas.site.benchmarks import Benchmark, load_benchmarks
from gpu_gotchas.upstream.table import Table
from gpu_gotchas.upstream.table import read as read_patches

_RANK = {Status.DRAFT: 0, Status.REPRODUCED: 1, Status.VERIFIED: 2}


@dataclass(frozen=True)
class Entry:
    """A record with what was run of it.

    results: those that speak of the record as it stands. proof: what all kept results show, None without a
    repro. source: the repro's text, empty without one.
    """

    gotcha: Gotcha
    results: tuple[Result, ...] = ()
    proof: Proof | None = None
    source: str = ""

    @cached_property
    def results_by_target(self) -> Mapping[str, tuple[Result, ...]]:
        found: dict[str, list[Result]] = {}
        for result in self.results:
            found.setdefault(result.target, []).append(result)
        return {target: tuple(results) for target, results in found.items()}

    @cached_property
    def on_cards(self) -> tuple[Result, ...]:
        """Results that were had on a card."""
        return tuple(result for result in self.results if result.tier is Tier.DEVICE)

    @property
    def status(self) -> Status:
        """What may be said: the record's word, or less where its results do not bear that."""
        claimed = self.gotcha.status
        if claimed.withdrawn or claimed is Status.CONTESTED:
            return claimed
        if self.proof is None:
            return Status.DRAFT
        if self.proof.contradictions:
            return Status.CONTESTED
        return min(claimed, self.proof.status, key=_RANK.__getitem__)


@dataclass(frozen=True)
class Knowledge:
    """entries and candidates are sorted by id. generated: the day of the build (ISO).

    index: what search reads, empty where nothing is to be searched. patches: by patch, then by release.
    """

    entries: tuple[Entry, ...]
    candidates: tuple[Candidate, ...]
    generated: str
    version: str = __version__
    targets: tuple[Target, ...] = field(default_factory=targets)
    gpus: tuple[Gpu, ...] = field(default_factory=gpus)
    settings: Mapping[str, Setting] = field(default_factory=dict)
    benchmarks: tuple[Benchmark, ...] = ()
    index: bytes = b""
    patches: Table = field(default_factory=dict)

    @cached_property
    def by_id(self) -> Mapping[str, Entry]:
        return {entry.gotcha.id: entry for entry in self.entries}

    @cached_property
    def gpu_by_id(self) -> Mapping[str, Gpu]:
        return {gpu.id: gpu for gpu in self.gpus}

    @cached_property
    def gpus_by_target(self) -> Mapping[str, tuple[Gpu, ...]]:
        found: dict[str, tuple[Gpu, ...]] = {}
        for gpu in self.gpus:
            found[gpu.target.name] = (*found.get(gpu.target.name, ()), gpu)
        return found

    @property
    def standing(self) -> tuple[Entry, ...]:
        """Entries that are not withdrawn."""
        return tuple(entry for entry in self.entries if not entry.gotcha.status.withdrawn)


def gather(root: Path | None = None, today: date | None = None) -> Knowledge:
    """All records below `root` with their results, and the benchmarks beside it.

    Raises RecordErrors, ResultError or ValueError.
    """
    return Knowledge(
        entries=tuple(entry(gotcha) for gotcha in load_all(root)),
        candidates=load_candidates(root),
        generated=(today or date.today()).isoformat(),
        settings=settings(),
        index=build_index(root),
        benchmarks=load_benchmarks((root or records_root()).parent / "benchmarks" / "results"),
        patches=read_patches(),
    )


def entry(gotcha: Gotcha) -> Entry:
    """A record with the results and the repro that lie beside it."""
    repro = read_repro(gotcha.path)
    if repro is None:
        return Entry(gotcha)
    kept = kept_results(gotcha)
    current = fingerprint(gotcha, repro)
    return Entry(
        gotcha,
        tuple(result for result in kept if result.proves == current and not result.described),
        prove(gotcha, repro, kept),
        repro.path.read_text(encoding="utf-8"),
    )

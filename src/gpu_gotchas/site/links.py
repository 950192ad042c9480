"""Links inside the site. A link leads to a page that is there, or is no link."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from gpu_gotchas.hardware.gpus import Gpu
from gpu_gotchas.records.model import Candidate
from gpu_gotchas.site.evidence import cards_run
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.markdown import attribute, code, text
from gpu_gotchas.site.reach import Concerning, concerning
from gpu_gotchas.site.wording import gpu_name, package_name

CANDIDATES = "candidates.md"
CONCEPTS = "concepts/index.md"
EVERY_CARD = "gpus/index.md#on-every-card"
CANDIDATES_ADDRESS = "candidates/"
GOTCHAS_ADDRESS = "gotchas/"
MANY = 8
"""Records and candidates of a concept that make a page; the index names those of one with fewer."""
Names = Callable[[Entry], set[str]]


def gotcha_path(id: str) -> str:
    return f"gotchas/{id}.md"


def gotcha_address(id: str) -> str:
    """Where a browser finds the page: mkdocs makes a folder of each."""
    return f"gotchas/{id}/"


def json_path(id: str) -> str:
    return f"gotchas/{id}.json"


def markdown_copy_path(id: str) -> str:
    """The record as Markdown for programs. mkdocs would make a page of anything that ends in `md`."""
    return f"gotchas/{id}.md.txt"


def gpu_path(page: str) -> str:
    """page: a GPU's id, or a target's name."""
    return f"gpus/{page}.md"


def gpu_address(page: str) -> str:
    return f"gpus/{page}/"


def package_path(package: str) -> str:
    return f"packages/{package}.md"


def concept_path(concept: str) -> str:
    return f"concepts/{concept}.md"


@dataclass(frozen=True)
class Held:
    """Who has a concept."""

    entries: tuple[Entry, ...]
    candidates: tuple[Candidate, ...]

    @property
    def many(self) -> bool:
        """Whether there is a page of its own: one for each of few would be hundreds with a line or two."""
        return len(self.entries) + len(self.candidates) >= MANY


@dataclass(frozen=True)
class Sitemap:
    """What has a page of its own."""

    knowledge: Knowledge

    @cached_property
    def gpus(self) -> dict[str, Concerning]:
        """Id of each GPU of which something in particular is known, to all that concerns it."""
        found = {gpu.id: concerning(self.knowledge.entries, gpu) for gpu in self.knowledge.gpus}
        return {id: here for id, here in found.items() if here.particular}

    @cached_property
    def gpu_pages(self) -> dict[str, tuple[str, ...]]:
        """Page to the GPUs that it is about.

        One on which somebody ran or reported something has its own; the others of a target, which the same
        concerns, share one that is called as the target. More would be a hundred that say the same.
        """
        entries = self.knowledge.entries
        met = {on for entry in entries for report in entry.gotcha.reports for on in report.on}
        met |= {on for entry in entries for on in cards_run(entry)}
        alike: dict[str, dict[Hashable, list[str]]] = {}
        for id, here in self.gpus.items():
            key = id if id in met else tuple(entry.gotcha.id for entry in here.particular)
            target = self.knowledge.gpu_by_id[id].target.name
            alike.setdefault(target, {}).setdefault(key, []).append(id)
        pages: dict[str, tuple[str, ...]] = {}
        for target, groups in alike.items():
            most = max(groups.values(), key=len)
            for ids in groups.values():
                if ids is most and len(ids) > 1:
                    pages[target] = tuple(ids)
                else:
                    pages.update({id: (id,) for id in ids})
        return pages

    @cached_property
    def page_of_gpu(self) -> dict[str, str]:
        return {id: page for page, ids in self.gpu_pages.items() for id in ids}

    @cached_property
    def packages(self) -> dict[str, tuple[Entry, ...]]:
        return self._group(lambda entry: {name for case in entry.gotcha.affects for name in case.software})

    @cached_property
    def concepts(self) -> dict[str, Held]:
        """Every concept of a record, and those that many candidates and no record have, with who has it."""
        believed: dict[str, tuple[Candidate, ...]] = {}
        for one in self.knowledge.candidates:
            for name in one.concepts:
                believed[name] = (*believed.get(name, ()), one)
        proven = self._group(lambda entry: set(entry.gotcha.concepts))
        names = {*proven, *(name for name, held in believed.items() if len(held) >= MANY)}
        return {name: Held(proven.get(name, ()), believed.get(name, ())) for name in sorted(names)}

    @cached_property
    def candidates(self) -> dict[str, Candidate]:
        return {candidate.id: candidate for candidate in self.knowledge.candidates}

    def _group(self, names: Names) -> dict[str, tuple[Entry, ...]]:
        found: dict[str, tuple[Entry, ...]] = {}
        for entry in self.knowledge.entries:
            for name in names(entry):
                found[name] = (*found.get(name, ()), entry)
        return dict(sorted(found.items()))


@dataclass(frozen=True)
class Links:
    """Links from the page at `here`, a path below the folder of pages."""

    sitemap: Sitemap
    here: str

    def to(self, path: str, label: str) -> str:
        """label: Markdown."""
        return f"[{label}]({posixpath.relpath(path, posixpath.dirname(self.here) or '.')})"

    def in_table(self, label: str, **filters: str) -> str:
        """The table of all with these filters set, which is whole where no script runs. label: Markdown."""
        path = posixpath.relpath(
            GOTCHAS_ADDRESS, self.here.removesuffix("index.md").removesuffix(".md") or "."
        )
        return f'<a href="{path}/?{attribute(urlencode(filters))}">{label}</a>'

    def gotcha(self, id: str) -> str:
        """A record or a candidate by its title; the id as code where there is none."""
        entry = self.sitemap.knowledge.by_id.get(id)
        if entry is not None:
            return self.to(gotcha_path(id), text(entry.gotcha.title))
        candidate = self.sitemap.candidates.get(id)
        return self.to(f"{CANDIDATES}#{id}", text(candidate.title)) if candidate else code(id)

    def gpu(self, id: str) -> str:
        gpu = self.sitemap.knowledge.gpu_by_id.get(id)
        if gpu is None:
            return code(id)
        return self.of_gpu(gpu)

    def of_gpu(self, gpu: Gpu) -> str:
        name = text(gpu_name(gpu))
        page = self.sitemap.page_of_gpu.get(gpu.id)
        return self.to(gpu_path(page), name) if page else name

    def package(self, package: str, label: str | None = None) -> str:
        shown = text(label or package_name(package))
        return self.to(package_path(package), shown) if package in self.sitemap.packages else shown

    def concept(self, concept: str) -> str:
        shown = text(concept.replace("-", " "))
        held = self.sitemap.concepts.get(concept)
        if held is None:
            return shown
        return self.to(concept_path(concept) if held.many else f"{CONCEPTS}#{concept}", shown)

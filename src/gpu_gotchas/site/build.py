"""All pages and files of the site, as a mapping from path to text, and writing them to a folder."""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from gpu_gotchas.site import (
    benchmarks_page,
    candidates_page,
    concept_page,
    gotcha_page,
    gpu_page,
    index_pages,
    matrix,
    package_page,
    patches_page,
    section_pages,
    start_page,
    table_page,
)
from gpu_gotchas.site.feeds import atom, json_export, llms
from gpu_gotchas.site.feeds.browser_search import SEARCH_PATH, search_json
from gpu_gotchas.site.feeds.markdown_copy import markdown_copy
from gpu_gotchas.site.feeds.redirects import redirects
from gpu_gotchas.site.feeds.signatures import signatures
from gpu_gotchas.site.knowledge import Knowledge
from gpu_gotchas.site.links import (
    CANDIDATES,
    CONCEPTS,
    Links,
    Sitemap,
    concept_path,
    gotcha_path,
    gpu_path,
    json_path,
    markdown_copy_path,
    package_path,
)

_PATH = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/)*[A-Za-z0-9_-][A-Za-z0-9._-]*")
START = "index.md"
_OURS = ".gpu-gotchas-site"


class SiteError(ValueError):
    """The site cannot be built. The message says what would be right."""


def files(knowledge: Knowledge, written: Mapping[str, bytes]) -> dict[str, bytes]:
    """Path to content of everything below mkdocs' docs_dir.

    written: the hand-written files by path. Raises SiteError where two would share a path, also on a file
    system that does not tell capitals apart, or a name is no file name; and MissingMarker.
    """
    if START not in written:
        raise SiteError(f"the hand-written pages lack {START}, the start page")
    sitemap = Sitemap(knowledge)
    start = start_page.page(written[START].decode("utf-8"), knowledge, Links(sitemap, START))
    found = {path: content for path, content in written.items() if path != START}
    taken = {_place(path) for path in found}
    for path, text in [(START, start), *_generated(knowledge, sitemap)]:
        if not _PATH.fullmatch(path):
            raise SiteError(f"{path!r} is no path for a page: names are letters, digits, dots and hyphens")
        if _place(path) in taken:
            raise SiteError(
                f"two pages want to be {path}: rename the record, the concept or the page in docs/"
            )
        taken.add(_place(path))
        found[path] = (text.rstrip("\n") + "\n").encode("utf-8", "backslashreplace")
    return found


def _place(path: str) -> str:
    """Where the file ends up: mkdocs makes a folder of a page. Some file systems know no capitals."""
    folder, name = posixpath.split(path)
    if name.endswith(".md") and name != "index.md":
        return posixpath.join(folder, name.removesuffix(".md"), "index.html").casefold()
    return posixpath.join(folder, "index.html" if name == "index.md" else name).casefold()


def _generated(knowledge: Knowledge, sitemap: Sitemap) -> Iterator[tuple[str, str]]:
    """The indices come first: a record that wants their path is the one to move."""

    def at(path: str) -> Links:
        return Links(sitemap, path)

    yield "gotchas/index.md", table_page.page(knowledge, at("gotchas/index.md"))
    yield "settings.md", section_pages.by_setting(knowledge, at("settings.md"))
    yield "symptoms.md", section_pages.by_kind(knowledge, at("symptoms.md"))
    yield "gpus/index.md", index_pages.gpus(knowledge, at("gpus/index.md"))
    yield "packages/index.md", index_pages.packages(at("packages/index.md"))
    yield CONCEPTS, index_pages.concepts(at(CONCEPTS))
    yield "benchmarks.md", benchmarks_page.page(knowledge)
    yield patches_page.PATH, patches_page.page(knowledge, at(patches_page.PATH))
    yield "matrix.md", matrix.page(knowledge, at("matrix.md"))
    yield CANDIDATES, candidates_page.page(knowledge, at(CANDIDATES))
    for entry in knowledge.entries:
        path = gotcha_path(entry.gotcha.id)
        yield path, gotcha_page.page(entry, knowledge, at(path))
        yield json_path(entry.gotcha.id), json_export.record(entry)
        yield markdown_copy_path(entry.gotcha.id), markdown_copy(entry, knowledge)
    for page, ids in sitemap.gpu_pages.items():
        path = gpu_path(page)
        cards = [knowledge.gpu_by_id[id] for id in ids]
        yield path, gpu_page.page(cards, sitemap.gpus[ids[0]], knowledge, at(path))
    for package, entries in sitemap.packages.items():
        path = package_path(package)
        yield path, package_page.page(package, entries, at(path))
    for concept, held in sitemap.concepts.items():
        path = concept_path(concept)
        if held.many:
            yield path, concept_page.page(concept, held, at(path))
    yield "index.json", json_export.index(knowledge)
    if knowledge.index:
        yield SEARCH_PATH, search_json(knowledge.index)
    yield "signatures.json", signatures(knowledge)
    yield atom.FEED_PATH, atom.atom(knowledge)
    yield "llms.txt", llms.llms_txt(knowledge)
    yield from redirects(knowledge, sitemap.gpu_pages)


def read_written(docs: Path) -> dict[str, bytes]:
    """The hand-written files below `docs`, by path with slashes. Raises SiteError where there are none."""
    if not docs.is_dir():
        raise SiteError(f"{docs} is no folder: the site needs the hand-written pages, docs/ of a checkout")
    return {
        path.relative_to(docs).as_posix(): path.read_bytes()
        for path in sorted(docs.rglob("*"))
        if path.is_file()
    }


def write(folder: Path, content: Mapping[str, bytes]) -> None:
    """Make `folder` hold exactly `content`.

    What an earlier build left is removed. Raises SiteError for a folder that holds anything else.
    """
    if folder.exists():
        if not folder.is_dir():
            raise SiteError(f"{folder} is a file: name a folder")
        if any(folder.iterdir()) and not (folder / _OURS).is_file():
            raise SiteError(f"{folder} holds files that are not from here: name an empty or a new folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / _OURS).touch()
    for path, bytes_ in content.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(bytes_)

"""Pages of GPUs, packages, concepts and candidates, the indices, the matrix and the start page."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.records.usage import read_usage
from gpu_gotchas.repro.probe import Role, Subject, Tier
from gpu_gotchas.site import candidates_page, concept_page, gpu_page, matrix, package_page
from gpu_gotchas.site.build import files
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import Links, Sitemap
from gpu_gotchas.site.parts import MOST
from tests.site.rendering import read
from tests.site.samples import candidate, case, gotcha, knowledge, nvidia, result, written


def links(known: Knowledge, here: str) -> Links:
    return Links(Sitemap(known), here)


def gpu(id: str, known: Knowledge) -> str:
    """The page that is about this GPU, alone or with others."""
    page = Sitemap(known).page_of_gpu[id]
    at = links(known, f"gpus/{page}.md")
    cards = [known.gpu_by_id[one] for one in at.sitemap.gpu_pages[page]]
    return gpu_page.page(cards, at.sitemap.gpus[id], known, at)


def concept(name: str, known: Knowledge) -> str:
    at = links(known, f"concepts/{name}.md")
    return concept_page.page(name, at.sitemap.concepts[name], at)


def row(page: str, id: str) -> str:
    (found,) = [line for line in page.split("\n") if f"({id}.md)" in line or f"/{id}.md)" in line]
    return found


def test_a_gpu_page_tells_this_card_from_others_of_its_target() -> None:
    run = Entry(
        gotcha("sample-run"), (result("sample-run", tier=Tier.DEVICE, target="sm_89", device="NVIDIA L4"),)
    )
    known = knowledge(run)
    assert "proven on this card" in row(gpu("nvidia-l4", known), "sample-run")
    assert "proven on a card of this target" in row(gpu("nvidia-rtx-4090", known), "sample-run")


def test_a_gpu_page_says_who_reported_it_and_what_is_only_claimed() -> None:
    known = knowledge(Entry(gotcha("sample-claim", affects=(case(nvidia("==12.0")),))))
    page = gpu("nvidia-rtx-5090", known)
    assert "claimed by the record's range" in row(page, "sample-claim")
    assert "mechanism proven by compilation" in row(page, "sample-full")
    assert "reported on it" in row(gpu("nvidia-gb10", known), "sample-full")


def test_a_gpu_page_ends_with_what_holds_for_every_card() -> None:
    _, _, rest = gpu("nvidia-gb10", knowledge()).partition("## On every card")
    assert "../gotchas/sample-draft.md" in rest


def test_a_gpu_page_gives_the_limits_with_their_source() -> None:
    page = gpu("nvidia-gb10", knowledge())
    assert "Shared memory for a block: 48 KiB, up to 99 KiB when asked for" in page
    assert "- Source: [" in page


def test_the_list_of_cards_says_what_a_block_gets() -> None:
    made = files(knowledge(), written())["gpus/index.md"].decode()
    assert ", shared memory for a block 48 KiB, up to 99 KiB when asked for: " in made


def test_a_package_page_gives_its_own_releases_only() -> None:
    known = knowledge()
    page = package_page.page(
        "vllm", links(known, "x").sitemap.packages["vllm"], links(known, "packages/vllm.md")
    )
    assert page.count("0.20.0 to 0.33.0 (measured; later not known)") == 1
    assert "# vLLM" in page


def test_a_package_page_says_its_name_once_where_several_ranges_are_its() -> None:
    ranges = [(VersionRange("0.1.0", "0.2.0", None),), (VersionRange("0.4.0", "0.5.0", None),)]
    some = Entry(gotcha("sample-two", affects=tuple(case(software={"vllm": one}) for one in ranges)))
    known = knowledge(some)
    held = links(known, "x").sitemap.packages["vllm"]
    page = package_page.page("vllm", held, links(known, "packages/vllm.md"))
    said = "0.1.0 to before 0.2.0 (fixed in 0.2.0); 0.4.0 to before 0.5.0 (fixed in 0.5.0)"
    assert f"| {said} |" in row(page, "sample-two")


def test_a_concept_page_shows_candidates_apart() -> None:
    page = concept("invented", knowledge())
    proven, _, believed = page.partition("## Believed, not proven")
    assert "sample-full.md" in proven
    assert "candidates.md#sample-believed" in believed
    assert "candidates.md" not in proven


def test_reports_without_a_name_are_told_apart_from_people() -> None:
    nobodys = replace(candidate().reports[0], by=None, date="2026-08")
    some = (
        candidate("sample-nobodys", reports=(nobodys, nobodys), reporter_count=0, claimed=None),
        candidate("sample-mixed", reports=(*candidate().reports, nobodys), claimed=None),
    )
    known = knowledge(candidates=some)
    page = candidates_page.page(known, links(known, "candidates.md"))
    assert "\n\n2 reports without a name.\n\n" in page
    assert "\n\n1 person reported it, and 1 report without a name.\n\n" in page
    assert page.index("sample-mixed") < page.index("sample-nobodys")
    assert "None" not in page


def test_candidates_are_ranked_by_reporters() -> None:
    some = (
        candidate("b-two", reporter_count=2),
        candidate("a-none", reporter_count=0),
        candidate("c-nine", reporter_count=9),
    )
    known = knowledge(candidates=some)
    page = candidates_page.page(known, links(known, "candidates.md"))
    assert re.findall(r'<details id="(.*)" markdown', page) == ["c-nine", "b-two", "a-none"]
    assert "**Wanted:** A card that loses things." in page


def cells(known: Knowledge, id: str) -> dict[str, list[str]]:
    """Target to what its cell says, letter and name."""
    page = matrix.page(known, links(known, "matrix.md"))
    line = "".join(line for line in page.split("\n") if f'gotchas/{id}/"' in line)
    return {
        target: [
            f"{sign} {unescape(name)}" for name, sign in re.findall(r'title="([^"]*)">([^<]*)</abbr>', cell)
        ]
        for target, cell in re.findall(r'<td(?: colspan="\d+")? data-target="([^"]*)">(.*?)</td>', line)
    }


def test_the_matrix_tells_four_kinds_of_knowledge_apart() -> None:
    found = cells(knowledge(), "sample-full")
    assert found == {
        "8.9": ["U upstream proven by compilation", "M mechanism proven by compilation"],
        "9.0": ["ok control, not affected"],
        "12.0": ["M mechanism proven by compilation"],
        "12.1": ["C proven on a card", "M mechanism proven by compilation", "R reported"],
    }


def test_what_a_cpu_shows_stands_under_every_card_and_each_target_keeps_its_ring() -> None:
    shown = Entry(
        gotcha("sample-cpu", affects=(case(),)),
        (
            result("sample-cpu", tier=Tier.LOGIC, target="cpu"),
            result("sample-cpu", tier=Tier.PACKAGE, subject=Subject.UPSTREAM, target="cpu"),
        ),
    )
    found = cells(knowledge(shown), "sample-cpu")
    assert found.pop("every card claimed") == [
        "U proven by upstream's own code on a CPU",
        "L proven by reasoning on a CPU",
    ]
    assert found == {
        "6.0 to 12.1": ["○ claimed by the record's range"],
        "gfx90a to gfx1201": ["○ claimed by the record's range"],
    }
    assert found == cells(knowledge(shown), "sample-draft")


def test_the_matrix_has_a_table_for_each_vendor_with_the_records_that_say_something_there() -> None:
    nvidia_part, amd = matrix.page(knowledge(), links(knowledge(), "matrix.md")).split("## AMD")
    assert "## NVIDIA" in nvidia_part
    assert "gfx" not in nvidia_part.partition("<table")[2]
    assert "sample-draft/" in amd  # of every card
    assert "sample-full/" not in amd


def test_a_run_outside_the_range_counts_for_nothing() -> None:
    stray = Entry(
        gotcha("sample-stray"),
        (
            result(
                "sample-stray", tier=Tier.DEVICE, target="sm_90", device="NVIDIA H200", role=Role.ELSEWHERE
            ),
        ),
    )
    assert "9.0" not in cells(knowledge(stray), "sample-stray")


def test_the_matrix_has_a_sign_of_its_own_for_each_mark_and_a_legend() -> None:
    page = matrix.page(knowledge(), links(knowledge(), "matrix.md"))
    legend = page.partition('<ul class="gg-legend">')[2].partition("</ul>")[0]
    signs = re.findall(r">([^<]+)</abbr>", legend)
    assert len(signs) == len(set(signs)) == 7


def test_withdrawn_records_are_not_in_the_matrix() -> None:
    assert "sample-retracted" not in matrix.page(knowledge(), links(knowledge(), "matrix.md"))


def test_the_start_page_counts_what_results_bear_out() -> None:
    made = files(knowledge(), written())["index.md"].decode()
    assert "4 gotchas, 1 withdrawn. Proven: 1 on a card, 1 by compilation. Not proven yet: 2." in made
    assert "sample-retracted" not in made


def test_the_start_page_shows_the_newest_and_the_most_reported() -> None:
    newest = Entry(gotcha("sample-newest", added="2027-01-01"))
    met = Entry(gotcha("sample-met", added="2026-01-01", reporter_count=99))
    made = files(knowledge(newest, met), written())["index.md"].decode()
    links = re.findall(r"gotchas/(sample-[a-z-]+)\.md", made)
    assert links[0] == "sample-newest"
    assert "(gotchas/sample-met.md) 99 people" in made
    assert 2 < len(links) <= 12


def test_the_written_start_page_says_how_to_install_and_to_ask() -> None:
    from tests.site.rendering import ROOT, render

    document = read(render((ROOT / "docs" / "index.md").read_text("utf-8")))
    for said in ("gotchas search", "pytest --gotchas", "from gpu_gotchas.fixes.", "pip install"):
        assert said in document.text
    usage = read_usage("gpu_gotchas.fixes.launch_fit")
    assert usage is not None
    assert usage.imports in document.text


def test_start_page_and_index_count_alike() -> None:
    made = files(knowledge(), written())
    for path in ("index.md", "gotchas/index.md"):
        assert "4 gotchas, 1 withdrawn" in made[path].decode()


def test_a_badge_says_the_same_on_what_a_proof_rests_wherever_it_stands() -> None:
    made = {path: text.decode() for path, text in files(knowledge(), written()).items()}
    for path in ("index.md", "gotchas/index.md", "gotchas/sample-full.md", "packages/vllm.md"):
        assert '<span class="gg-chip gg-status-verified">proven on a card</span>' in made[path], path
    assert "failure proven by compilation, fix not yet" in row(
        concept("invented", knowledge()), "sample-plain"
    )
    assert "proven by compilation" in row(made["gpus/sm_89.md"], "sample-plain")
    assert not [path for path, text in made.items() if "failure and fix proven" in text]


def test_what_a_cpu_shows_is_known_on_a_card_of_the_range_too() -> None:
    shown = Entry(gotcha("sample-cpu"), (result("sample-cpu", tier=Tier.LOGIC, target="cpu"),))
    assert "| proven by reasoning on a CPU |" in row(gpu("nvidia-l4", knowledge(shown)), "sample-cpu")


def test_a_withdrawn_record_has_no_severity_anywhere() -> None:
    made = files(knowledge(), written())["gotchas/sample-retracted.md"].decode()
    assert "gg-major" not in made
    assert "gg-major" not in row(concept("invented", knowledge()), "sample-retracted")


def test_upstream_proven_says_the_mechanism_as_well() -> None:
    known = knowledge()
    assert "| upstream proven by compilation |" in row(gpu("nvidia-l4", known), "sample-full")


def test_a_list_on_a_cards_page_is_bounded_and_the_rest_is_a_link_away() -> None:
    """There are more than a hundred such pages: whole lists on each would be most of the site."""
    some = [Entry(gotcha(f"sample-more-{number}", affects=(case(nvidia("==8.9")),))) for number in range(60)]
    page = gpu("nvidia-l4", knowledge(*some))
    particular, _, everywhere = page.partition("## On every card")
    assert particular.count("../gotchas/sample-") == MOST
    assert everywhere.count("../gotchas/sample-") == 1
    assert re.search(r'<a href="\.\./\.\./gotchas/\?target=sm_89">\d+ more</a>', page)


def test_so_is_a_concepts() -> None:
    known = knowledge(*(Entry(gotcha(f"sample-more-{number}", concepts=("many",))) for number in range(60)))
    page = concept("many", known)
    assert page.count("../gotchas/sample-") == MOST
    assert '<a href="../../gotchas/?text=many">35 more</a>' in page

"""The page of one gotcha: a golden file for a full record, and what differs for other kinds of record."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from gpu_gotchas.records.model import Fix, FixType, Risk, Status
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from gpu_gotchas.repro.proof import Proof
from gpu_gotchas.repro.results import Result
from gpu_gotchas.site.gotcha_page import page
from gpu_gotchas.site.knowledge import Entry
from gpu_gotchas.site.links import Links, Sitemap
from gpu_gotchas.site.markdown import visible
from gpu_gotchas.site.proof_section import outcome_words
from tests.site.hostile import texts
from tests.site.rendering import bare, read, render
from tests.site.samples import AGAINST, DAY, case, full, gotcha, hostile, knowledge, result

GOLDEN = Path(__file__).parent / "golden" / "sample-full.md"
HEADINGS = [
    "What you see",
    "What to do now",
    "On which cards and versions",
    "Why it happens",
    "The fix",
    "Proof",
    "Reports",
    "Upstream",
    "Look-alikes",
    "History",
    "Run it yourself",
]


def page_of(entry: Entry) -> str:
    known = (
        knowledge() if entry.gotcha.id in {one.gotcha.id for one in knowledge().entries} else knowledge(entry)
    )
    return page(entry, known, Links(Sitemap(known), f"gotchas/{entry.gotcha.id}.md"))


def headings(text: str) -> list[str]:
    return [line.removeprefix("## ") for line in text.split("\n") if line.startswith("## ")]


def test_a_full_record_reads_as_agreed() -> None:
    """GOTCHAS_UPDATE_GOLDEN=1 writes the golden file anew."""
    made = page_of(full()) + "\n"
    if os.environ.get("GOTCHAS_UPDATE_GOLDEN"):
        GOLDEN.write_text(made, encoding="utf-8")
    assert GOLDEN.read_text("utf-8") == made, "set GOTCHAS_UPDATE_GOLDEN=1 to update"


def test_what_helps_comes_before_why() -> None:
    assert headings(page_of(full())) == HEADINGS


def test_nothing_is_said_twice() -> None:
    blocks = [one for one in page_of(full()).split("\n\n") if len(one) > 25 and not one.startswith("<")]
    assert len(blocks) == len(set(blocks))


@pytest.mark.parametrize("status", [Status.RETRACTED, Status.SUPERSEDED])
def test_a_withdrawn_record_gives_no_advice_and_says_where_to_go(status: Status) -> None:
    entry = full()
    made = page_of(
        Entry(
            replace(entry.gotcha, id="sample-gone", status=status, successor="sample-believed"), entry.results
        )
    )
    assert "What to do now" not in headings(made)
    assert "The fix" not in headings(made)
    assert "Ask for one stage." not in made
    assert f"**{status.value.capitalize()}**" in made
    assert "A second card was reported." in made
    assert "[An invented belief](../candidates.md#sample-believed)" in made


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (Entry(gotcha("sample-new", status=Status.DRAFT)), "Nobody has written code"),
        (Entry(gotcha("sample-new"), (), Proof(("bug is not shown on sm_89",)), "x"), "listed under proof"),
        (Entry(gotcha("sample-new", status=Status.DRAFT), (), Proof(), "x"), "waits for more"),
        (Entry(gotcha("sample-new"), (), Proof(contradictions=(AGAINST,)), "x"),
         "**Contested.** bug on sm_89 came out not-reproduced"),
    ],
)  # fmt: skip
def test_what_is_not_proven_says_so_before_anything_else(entry: Entry, said: str) -> None:
    before, _, _ = page_of(entry).partition("## ")
    assert said in before


def test_a_proven_record_has_no_banner() -> None:
    assert "gg-banner" not in page_of(full())


def test_a_record_without_a_repro_shows_neither_proof_nor_command() -> None:
    made = headings(page_of(Entry(gotcha("sample-new", status=Status.DRAFT))))
    assert "Proof" not in made
    assert "Run it yourself" not in made


@pytest.mark.parametrize("outcome", list(Outcome))
@pytest.mark.parametrize("probe", list(Probe))
@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("tier", [Tier.COMPILE, Tier.PACKAGE])
def test_a_compiled_result_never_says_that_something_ran(
    outcome: Outcome, probe: Probe, role: Role, tier: Tier
) -> None:
    words = outcome_words(result("x", outcome=outcome, probe=probe, role=role, tier=tier))
    assert not {"ran", "runs", "works", "holds"} & set(words.split())


def test_compiled_results_say_compiles_and_fits_for_the_target() -> None:
    made = page_of(full())
    assert "with the fix compiles and fits for sm_89, sm_120, sm_121" in made
    assert "control: compiles and fits for sm_90" in made


def test_every_way_of_running_names_its_subject() -> None:
    _, _, proof = page_of(full()).partition("## Proof")
    ways = [line for line in proof.partition("<details")[0].split("\n") if line.startswith("- ")]
    assert len(ways) == 3
    assert all("(mechanism): " in way or "(upstream): " in way for way in ways)
    assert "*Mechanism* is code of this project" in proof


def test_measured_needs_a_run_of_the_packages_own_code() -> None:
    entry = full()
    without = Entry(
        entry.gotcha, tuple(one for one in entry.results if not one.package), entry.proof, entry.source
    )
    assert "vLLM 0.20.0 to 0.33.0 (measured; later not known)" in page_of(entry)
    assert "(said to be measured, no run of it is kept; later not known)" in page_of(without)


def test_many_different_words_are_cut_and_point_to_the_json() -> None:
    results = tuple(
        result("sample-new", target=target, reason=f"{target} " + "y" * 2000)
        for target in ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100")
    )
    made = page_of(Entry(gotcha("sample-new"), results, Proof(), "x"))
    assert len(made) < 4000
    assert "2 more in the JSON" in made
    assert "(whole in the JSON)" in made


def test_older_results_are_counted_and_not_shown() -> None:
    assert "2 older results about an earlier form" in page_of(full())


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ({"kv_cache_dtype": ("auto", "fp8")}, "`--kv-cache-dtype` is `auto` (the default) or `fp8`"),
        ({"enforce_eager": ("true",)}, "with `--enforce-eager`\n"),
        ({"enforce_eager": ("false",)}, "without `--enforce-eager`, as by default"),
        ({"sample_setting": ("on",)}, "`sample_setting` is `on`"),
    ],
)
def test_settings_are_named_as_they_are_typed(when: dict[str, tuple[str, ...]], said: str) -> None:
    from gpu_gotchas.records.settings import settings as known_settings

    entry = Entry(gotcha("sample-new", affects=(case(when=when),)))
    known = replace(knowledge(entry), settings=known_settings())
    assert said in page(entry, known, Links(Sitemap(known), "gotchas/sample-new.md"))


ALLOWED = {
    "a", "blockquote", "br", "code", "details", "div", "em", "h1", "h2", "h3", "li", "p", "pre", "span",
    "strong", "summary", "ul",
}  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(raw=texts.filter(lambda raw: bool(raw.split())))
def test_a_hostile_record_stays_text(raw: str) -> None:
    entry = hostile(raw)
    document = read(render(page_of(entry)))
    assert {tag.name for tag in document.tags} <= ALLOWED
    for tag in document.tags:
        assert set(tag.attributes) <= {"id", "class", "href"}
        where = tag.attributes.get("href", "")
        # The record's own links may lead out, when they are plain https.
        assert where == raw or not re.match(r"[a-z]+:|//", where)
    # Once for each field that holds it; source and signatures keep their line ends.
    assert bare(document.text).count(bare(visible(raw))) >= 20
    assert [tag.attributes["id"] for tag in document.all("h2")] == [
        tag.attributes["id"] for tag in read(render(page_of(hostile("plain")))).all("h2")
    ]


def test_versions_and_the_day_are_said_once_with_all_that_they_are_of() -> None:
    made = page_of(full())
    assert made.count(f"with Triton 3.7.0 on {DAY}") == 1
    (line,) = [line for line in made.split("\n") if f"with Triton 3.7.0 on {DAY}" in line]
    assert line.startswith(
        "- On a card: NVIDIA GB10; vLLM 0.33.0, without a GPU; compiled, nothing launched: "
    )


def test_versions_that_came_to_the_same_share_their_outcomes() -> None:
    newer = {"triton": "3.7.0"}
    older = {"triton": "3.6.0"}
    alike = page_of(
        Entry(
            gotcha("sample-new"), tuple(result("sample-new", versions=one) for one in (newer, older)), Proof()
        )
    )
    assert alike.count("**Compiled, nothing launched** (mechanism): fails as described for sm_89\n") == 1
    assert f"with Triton 3.7.0 on {DAY}" in alike
    assert f"with Triton 3.6.0 on {DAY}" in alike
    apart = page_of(
        Entry(
            gotcha("sample-new"),
            (
                result("sample-new", versions=newer),
                result("sample-new", versions=older, outcome=Outcome.NOT_REPRODUCED),
            ),
            Proof(),
        )
    )
    assert (
        f"**Compiled, nothing launched with Triton 3.7.0 on {DAY}** (mechanism): fails as described" in apart
    )
    assert (
        f"**Compiled, nothing launched with Triton 3.6.0 on {DAY}** (mechanism): does not fail, against"
        in apart
    )


def test_targets_stand_in_the_order_of_the_cards_and_once() -> None:
    results = tuple(
        result("sample-new", target=target, probe=probe, role=Role.CONTROL, outcome=Outcome.MASKED)
        for probe in (Probe.BUG, Probe.FIXED)
        for target in ("sm_120", "gfx1100", "sm_89", "gfx90a", "gfx942")
    )
    made = page_of(Entry(gotcha("sample-new"), results, Proof(), "x"))
    assert "comes first for gfx90a, gfx942, gfx1100, sm_89, sm_120\n" in made
    assert made.count("gfx1100") == 2  # in short, and with its own words


def test_what_did_not_fail_has_no_words_of_its_own() -> None:
    clean = result(
        "sample-new", role=Role.CONTROL, outcome=Outcome.CONTROL_CLEAN, reason="compiles, 1 launch"
    )
    assert "1 launch" not in page_of(Entry(gotcha("sample-new"), (clean,), Proof(), "x"))


def test_a_fix_shows_how_it_is_used_and_what_it_is() -> None:
    fix = Fix("gpu_gotchas.fixes.launch_fit", FixType.PLANNER, "Time.", Risk.LOW)
    _, _, made = page_of(Entry(gotcha("sample-new", fixes=(fix,)))).partition("## The fix")
    assert "```python\nfrom gpu_gotchas.fixes.launch_fit import LaunchFit\n\ndecode = LaunchFit(" in made
    assert "Launch a Triton kernel in the first configuration" in made


def test_a_package_asked_as_no_target_compiled_nothing() -> None:
    ran = result(
        "sample-new", tier=Tier.PACKAGE, subject=Subject.UPSTREAM, target="cpu",
        probe=Probe.FIXED, outcome=Outcome.FIX_CONFIRMED,
    )  # fmt: skip
    assert outcome_words(ran) == "the fix holds"


def test_a_type_has_its_article() -> None:
    fixes = tuple(Fix("vllm>=0.34.0", kind, "Time.", Risk.LOW) for kind in (FixType.UPGRADE, FixType.GUARD))
    made = page_of(Entry(gotcha("sample-new", fixes=fixes)))
    assert "An upgrade, low risk." in made
    assert "A guard, low risk." in made
    assert "```sh\npip install 'vllm>=0.34.0'\n```" in made


def test_the_proof_is_told_in_a_line_for_each_way_and_the_rest_is_folded() -> None:
    made = page_of(full())
    short, _, rest = made.partition("## Proof")[2].partition("<details")
    assert "- **On a card: NVIDIA GB10** (mechanism): fails as described (5.5 to 7 %) for sm_121" in short
    assert "fails as described, with the fix compiles and fits for sm_89, sm_120, sm_121" in short
    assert "<code>" not in short
    assert "<br><code>" in rest


def test_every_section_stands_where_it_was_written() -> None:
    """A block in a block of its own kind would end the outer one, and the rest of the page fall out of it."""
    html = render(page_of(full()))
    depth, headings_at = 0, []
    for close, name in re.findall(r"<(/?)(div|details|ul|li|h2)[ >]", html):
        if name == "h2" and not close:
            headings_at.append(depth)
        elif name != "h2":
            depth += -1 if close else 1
    assert depth == 0
    assert set(headings_at) == {0}
    assert len(headings_at) > 8


def test_what_differs_from_time_to_time_is_not_shown_as_a_template() -> None:
    made = page_of(full())
    assert "room: … of …" in made
    assert "{required:int}" not in made


def test_releases_in_a_row_that_came_to_the_same_share_a_line() -> None:
    def run(version: str, outcome: Outcome = Outcome.REPRODUCED) -> Result:
        return result(
            "sample-new",
            tier=Tier.PACKAGE,
            subject=Subject.UPSTREAM,
            package=f"vllm=={version}",
            outcome=outcome,
        )

    runs = (run("0.20.0"), run("0.9.2", Outcome.FIXED_HERE), run("0.21.0"), run("0.100.1"))
    made = page_of(Entry(gotcha("sample-new"), runs, Proof()))
    lines = [line for line in made.split("\n") if line.startswith("- **vLLM ")]
    assert lines[:2] == [
        "- **vLLM 0.9.2, without a GPU** (upstream): does not fail outside the claimed versions for sm_89",
        "- **vLLM 0.20.0 to 0.100.1 (3 releases), without a GPU** (upstream): fails as described for sm_89",
    ]


def test_a_range_of_releases_holds_none_that_came_to_something_else() -> None:
    def run(version: str, outcome: Outcome = Outcome.REPRODUCED) -> Result:
        package = f"vllm=={version}"
        return result(
            "sample-new", tier=Tier.PACKAGE, subject=Subject.UPSTREAM, package=package, outcome=outcome
        )

    runs = (run("0.1.0"), run("0.2.0"), run("0.3.0", Outcome.NOT_REPRODUCED), run("0.4.0"))
    made = page_of(Entry(gotcha("sample-new"), runs, Proof()))
    assert (
        "**vLLM 0.1.0 to 0.2.0 (2 releases) and 0.4.0, without a GPU** (upstream): fails as described" in made
    )


def test_the_repro_is_in_the_page_folded_and_as_it_is() -> None:
    source = "# <b> ``` </details>\ndef bug(target): ...\n\n\nx = '&lt;'\n"
    html = render(page_of(Entry(gotcha("sample-new"), (), Proof(), source)))
    _, _, rest = html.partition("Run it yourself")
    folded = rest.partition("<details>")[2].partition("</details>")[0]
    assert "What it runs: 5 lines of Python" in folded
    shown = read(folded.partition("</summary>")[2].replace("\n", "⏎")).text
    assert shown.strip("⏎") == source.rstrip("\n").replace("\n", "⏎")

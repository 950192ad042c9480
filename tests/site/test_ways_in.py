"""By setting, by symptom, and the benchmarks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.records.model import Kind
from gpu_gotchas.records.settings import settings
from gpu_gotchas.site import benchmarks_page, section_pages
from gpu_gotchas.site.benchmarks import Benchmark, Ratio, load_benchmarks
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import Links, Sitemap
from gpu_gotchas.site.plot import figure, plot
from tests.site.hostile import texts
from tests.site.rendering import ROOT, read, render
from tests.site.samples import case, gotcha, knowledge


def at(known: Knowledge, path: str) -> Links:
    return Links(Sitemap(known), path)


def test_by_symptom_each_standing_record_stands_once_under_its_kind() -> None:
    known = knowledge(Entry(gotcha("sample-hang", kind=Kind.HANG)))
    page = section_pages.by_kind(known, at(known, "symptoms.md"))
    for entry in known.standing:
        assert page.count(f"gotchas/{entry.gotcha.id}.md") == 1
    assert "sample-retracted" not in page
    section = page.partition("## It hangs {#hang}")[2].partition("\n## ")[0]
    assert "sample-hang" in section


def test_every_kind_has_words() -> None:
    assert set(section_pages._KINDS) == set(Kind)


def test_by_setting_says_which_values_do_it() -> None:
    some = Entry(gotcha("sample-set", affects=(case(when={"kv_cache_dtype": ("fp8", "fp8_e4m3")}),)))
    known = knowledge(some)
    known = Knowledge(known.entries, known.candidates, known.generated, settings=settings())
    page = section_pages.by_setting(known, at(known, "settings.md"))
    section = page.partition("## `--kv-cache-dtype`")[2].partition("\n## ")[0]
    assert "sample-set.md) with `fp8` or `fp8_e4m3`" in section


ratios = st.builds(
    Ratio,
    name=texts,
    against=texts,
    ratio=st.floats(1e-3, 1e4),
    shape=texts,
    aim=st.none() | st.floats(1e-3, 1e4),
    spread=st.none() | st.floats(0, 1),
)


@given(st.lists(ratios, min_size=1, max_size=4))
def test_a_plot_keeps_every_bar_inside_and_every_text_as_text(found: list[Ratio]) -> None:
    drawn = plot(found, "Ratios")
    document = read(drawn)
    assert {tag.name for tag in document.tags} == {"svg", "line", "text", "rect"}
    bars = document.all("rect")
    assert len(bars) == len(found)
    width = float(document.all("svg")[0].attributes["viewbox"].split()[2])
    for bar in bars:
        assert float(bar.attributes["x"]) >= 0
        assert float(bar.attributes["x"]) + float(bar.attributes["width"]) <= width
    for one in found:
        assert figure(one.ratio) in document.text


def test_rows_that_differ_at_their_end_stay_apart_however_long_they_are() -> None:
    start = "A name that goes on and on for longer than any plot is wide, with a shape behind it, "
    shown = read(plot([Ratio(start, "b", 2.0, f"{count} tokens") for count in (16, 64)], "x")).text
    assert "16 tokens" in shown
    assert "64 tokens" in shown


def test_faster_and_slower_lie_on_either_side_of_one() -> None:
    fast, slow = read(plot([Ratio("a", "b", 2.0, ""), Ratio("a", "b", 0.5, "")], "x")).all("rect")
    assert (fast.attributes["class"], slow.attributes["class"]) == ("gg-faster", "gg-slower")
    one = float(fast.attributes["x"])
    assert float(slow.attributes["x"]) + float(slow.attributes["width"]) == pytest.approx(one, abs=0.2)
    assert float(fast.attributes["width"]) == pytest.approx(float(slow.attributes["width"]), abs=0.2)


def test_a_benchmark_page_gives_conditions_and_says_what_is_missed() -> None:
    one = Benchmark(
        "mla_decode", "Sample card", "2026-11-30", {"torch": "2.11.0"},
        (Ratio("a", "b", 1.2, "s", aim=1.5), Ratio("c", "b", 2.0, "s", aim=1.5), Ratio("d", "e", 3.0, "s")),
    )  # fmt: skip
    known = Knowledge((), (), "2026-11-30", benchmarks=(one,))
    page = benchmarks_page.page(known)
    assert "## MLA decode" in page
    assert "On Sample card, 2026-11-30, with PyTorch 2.11.0." in page
    assert "1 of 2 aims is missed." in page
    document = read(render(page))
    assert len(document.all("svg")) == 2
    assert "1.5×, missed" in document.text


def test_the_kept_benchmarks_are_read_and_others_are_not(tmp_path: Path) -> None:
    kept = {one.name for one in load_benchmarks(ROOT / "benchmarks" / "results")}
    assert "mla_decode" in kept
    assert "search" not in kept  # shares, not ratios
    (tmp_path / "other.json").write_text(json.dumps({"rows": [{"name": "x", "value": 1}]}))
    assert load_benchmarks(tmp_path) == ()
    assert load_benchmarks(tmp_path / "nowhere") == ()


@pytest.mark.parametrize(
    "broken",
    [
        '{"rows": [{"ratio": 1, "against": "x"}]}',
        "nothing",
        '{"rows": [{"ratio": 0, "against": "b", "name": "a"}]}',
    ],
)
def test_a_broken_benchmark_names_its_file(tmp_path: Path, broken: str) -> None:
    (tmp_path / "bad.json").write_text(broken)
    with pytest.raises(ValueError, match=r"bad\.json is no benchmark result"):
        load_benchmarks(tmp_path)

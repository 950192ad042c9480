"""Which gotchas concern a card: one answer for its page, the index and the command line."""

from __future__ import annotations

import re

from gpu_gotchas.cli.listing import _affecting
from gpu_gotchas.hardware.conditions import HardwareCondition, NumberRange
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.model import Report, Status
from gpu_gotchas.repro.probe import Tier
from gpu_gotchas.site import gpu_page, index_pages
from gpu_gotchas.site.knowledge import Entry, Knowledge, gather
from gpu_gotchas.site.links import Links, Sitemap
from gpu_gotchas.site.reach import concerning, on_every_card, strikes
from tests.site.rendering import ROOT
from tests.site.samples import URL, case, gotcha, knowledge, nvidia, result

KNOWN = knowledge()
EVERYWHERE = Entry(gotcha("sample-everywhere", affects=(case(),)))


def report(on: str) -> Report:
    return Report(URL, "github:sample-person", "2026-01-01", (on,), "reproduces")


def in_particular(entry: Entry) -> set[str]:
    return {gpu.id for gpu in KNOWN.gpus if concerning([entry], gpu).particular}


def test_a_card_is_struck_when_one_of_its_variants_is() -> None:
    needs_room = gotcha(affects=(case(HardwareCondition(memory=NumberRange.parse(">=16"))),))
    assert strikes(needs_room, KNOWN.gpu_by_id["nvidia-rtx-4060-ti"]) is Truth.YES
    assert strikes(needs_room, KNOWN.gpu_by_id["nvidia-rtx-4060"]) is Truth.NO
    assert strikes(needs_room, KNOWN.gpu_by_id["amd-radeon-780m"]) is Truth.UNKNOWN


def test_what_holds_for_every_card_concerns_none_in_particular() -> None:
    assert not in_particular(EVERYWHERE)
    assert all(concerning([EVERYWHERE], gpu).every_card == (EVERYWHERE,) for gpu in KNOWN.gpus)
    here = in_particular(Entry(gotcha(affects=(case(nvidia("==8.9")),))))
    assert {KNOWN.gpu_by_id[id].target.name for id in here} == {"sm_89"}


def test_a_report_from_outside_the_range_still_concerns_its_card() -> None:
    assert "nvidia-h200" in in_particular(Entry(gotcha(reports=(report("nvidia-h200"),))))


def test_what_holds_for_every_card_and_was_met_on_this_one_counts_once() -> None:
    met = Entry(gotcha("sample-met", affects=(case(),), reports=(report("amd-mi300x"),)))
    run = Entry(
        gotcha("sample-run", affects=(case(),)),
        (result("sample-run", tier=Tier.DEVICE, target="sm_90", device="NVIDIA H200"),),
    )
    for id, entry in (("amd-mi300x", met), ("nvidia-h200", run)):
        here = concerning([met, run], KNOWN.gpu_by_id[id])
        assert here.particular == (entry,)
        assert len(here) == 2


def test_a_withdrawn_record_concerns_no_card() -> None:
    gone = Entry(gotcha(status=Status.RETRACTED, affects=(case(),), reports=(report("nvidia-l4"),)))
    assert not len(concerning([gone], KNOWN.gpu_by_id["nvidia-l4"]))
    assert not on_every_card([gone])


def _numbers(known: Knowledge) -> dict[str, int]:
    index = index_pages.gpus(known, Links(Sitemap(known), "gpus/index.md"))
    return {page: int(number) for page, number in re.findall(r"\(([a-z0-9_-]+)\.md\) \((\d+)\)", index)}


def test_the_index_counts_what_the_page_lists() -> None:
    known = knowledge(EVERYWHERE)
    numbers = _numbers(known)
    assert len(numbers) > 2
    for name, number in numbers.items():
        at = Links(Sitemap(known), f"gpus/{name}.md")
        cards = [known.gpu_by_id[id] for id in at.sitemap.gpu_pages[name]]
        page = gpu_page.page(cards, at.sitemap.gpus[cards[0].id], known, at)
        assert len(re.findall(r"^(?:\| |- )\[.*\]\(\.\./gotchas/", page, re.MULTILINE)) == number


def test_the_index_counts_what_the_command_lists() -> None:
    """Our own records, on a target where no report lies outside of a range and no memory is asked for."""
    from gpu_gotchas.search.store import open_index

    known = gather(ROOT / "gotchas")
    records = [entry for entry in open_index().records() if entry["id"] in known.by_id]
    ids = {entry["id"] for entry in _affecting("sm_86", records)}
    here = concerning(known.entries, known.gpu_by_id["nvidia-rtx-3090"])
    assert {entry.gotcha.id for entry in (*here.particular, *here.every_card)} == ids
    assert _numbers(known)["nvidia-rtx-3090"] == len(ids)


def test_a_card_that_nothing_names_is_still_told_what_holds_on_every_card() -> None:
    index = index_pages.gpus(knowledge(EVERYWHERE), Links(Sitemap(knowledge(EVERYWHERE)), "gpus/index.md"))
    _, _, rest = index.partition("## Other cards")
    others, _, everywhere = rest.partition("## On every card {#on-every-card}")
    assert "../gotchas/sample-everywhere.md" in everywhere
    assert "What holds on every card (2) holds on these as well." in others
    assert "| MI300X | `gfx942` |" in others

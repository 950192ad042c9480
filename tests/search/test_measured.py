"""How well search finds what texts are about never falls below what is committed."""

from __future__ import annotations

import pytest
from benchmarks.search import asked_of, kept_rows, main_rows
from benchmarks.search_measure import Share, known, search_all

from gpu_gotchas.search.index import Index
from tests.corpus import MEASURE

HIGHER_IS_BETTER = ("recall at 1", "recall at 3", "coverage", "precision of this is it")
NOISE = ("logged", "hard-wrapped", "ranks", "one-line", "web-page")


@pytest.fixture(scope="module")
def rows(shipped: Index) -> dict[str, Share]:
    return main_rows(shipped, asked_of(MEASURE))[0]


def test_no_number_has_fallen(rows: dict[str, Share]) -> None:
    kept = kept_rows()
    worse = {}
    for name, share in rows.items():
        if "right of" in name:  # of how many, changes with every answer
            continue
        before = kept[name]["value"]
        if name.rpartition(": ")[2] in HIGHER_IS_BETTER:
            fell = share.value < before - 1e-4
        else:
            fell = not name.endswith("this is it") and share.value > before + 1e-4
        if fell or (name.endswith("wrong this is it") and share.value > before + 1e-4):
            worse[name] = (before, str(share))
    assert worse == {}, "meant? then run python -m benchmarks.search --update, and say why it fell"


def test_no_healthy_log_raises_an_alarm(rows: dict[str, Share]) -> None:
    alarms = {name: share.count for name, share in rows.items() if name.startswith("healthy")}
    assert set(alarms.values()) == {0}, alarms


def test_nothing_is_ever_surely_wrong(rows: dict[str, Share]) -> None:
    sure = {name: share.count for name, share in rows.items() if name.endswith("said to be it")}
    assert set(sure.values()) == {0}, sure
    assert rows["known: wrong this is it"].count == 0


@pytest.mark.parametrize("kind", NOISE)
def test_noise_costs_no_more_than_it_did(shipped: Index, kind: str) -> None:
    share = known(search_all(shipped, asked_of(MEASURE, kind)))["recall at 1"]
    assert share.value >= kept_rows()[f"noise {kind}: recall at 1"]["value"] - 1e-4

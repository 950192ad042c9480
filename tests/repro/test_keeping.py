from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.fingerprint import fingerprint
from gpu_gotchas.repro.keeping import Kept, Left, keep
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Tier
from gpu_gotchas.repro.results import KEPT, Result, ResultError, read_results
from tests.repro.samples import OBSERVABLE, a_result, read_gotcha


@pytest.fixture
def gotcha(tmp_path: Path) -> Gotcha:
    return read_gotcha(tmp_path)[0]


def fresh(gotcha: Gotcha, **parts: Any) -> Result:
    from gpu_gotchas.repro.source import read_repro

    repro = read_repro(gotcha.path)
    assert repro
    return a_result(proves=fingerprint(gotcha, repro), **parts)


def kept(gotcha: Gotcha) -> list[Result]:
    return read_results(gotcha.path / KEPT)


def test_twice_changes_nothing(gotcha: Gotcha) -> None:
    results = [fresh(gotcha), fresh(gotcha, probe=Probe.FIXED, outcome=Outcome.FIX_CONFIRMED)]
    assert keep(gotcha, results) == Kept(2, 0, {})
    before = (gotcha.path / KEPT).read_bytes()
    assert keep(gotcha, results) == Kept(0, 2, {})
    assert (gotcha.path / KEPT).read_bytes() == before


def test_the_newest_wins_whichever_comes_first(gotcha: Gotcha) -> None:
    older = fresh(gotcha)
    newer = replace(older, date="2026-12-01T00:00:00+00:00", outcome=Outcome.NOT_REPRODUCED)
    keep(gotcha, [newer])
    keep(gotcha, [older])
    assert kept(gotcha) == [newer]


def test_what_does_not_count_is_left_out_and_counted(gotcha: Gotcha) -> None:
    results = [
        fresh(gotcha, outcome=Outcome.SKIPPED),
        fresh(gotcha, described=True),
        a_result(proves="of an older form"),
        fresh(gotcha),
    ]
    expected = {Left.SKIPPED: 1, Left.DESCRIBED: 1, Left.STALE: 1}
    assert keep(gotcha, results) == Kept(1, 0, expected)
    assert kept(gotcha) == [results[-1]]


def test_numbers_that_do_not_bear_out_their_outcome_are_left_out(tmp_path: Path) -> None:
    gotcha, repro = read_gotcha(tmp_path, symptom={"summary": "It is off.", "observable": OBSERVABLE})
    proves = fingerprint(gotcha, repro)
    bad = a_result(proves=proves, outcome=Outcome.REPRODUCED, measured=(0.5, 0.4))
    claimed = replace(bad, target="sm_86", measured=(0.5, 0.001))
    assert keep(gotcha, [bad, claimed]) == Kept(1, 0, {Left.UNBORNE: 1})
    assert kept(gotcha) == [bad]


@pytest.mark.parametrize("missing", [{"device": None}, {"target": "cpu"}, {"versions": {}}])
def test_a_card_s_result_without_the_card_is_left_out(gotcha: Gotcha, missing: dict[str, object]) -> None:
    whole = fresh(
        gotcha, tier=Tier.DEVICE, target="sm_90", device="NVIDIA H200", versions={"torch": "2.11.0"}
    )
    assert keep(gotcha, [replace(whole, **missing)]) == Kept(0, 0, {Left.UNBORNE: 1})  # type: ignore[arg-type]
    assert keep(gotcha, [whole]) == Kept(1, 0, {})


def test_kept_results_go_when_the_repro_changes(gotcha: Gotcha) -> None:
    keep(gotcha, [fresh(gotcha)])
    with (gotcha.path / "repro.py").open("a") as repro:
        repro.write("# edited\n")
    keep(gotcha, [])
    assert kept(gotcha) == []


def test_who_ran_it_is_added_where_it_is_not_said(gotcha: Gotcha) -> None:
    keep(gotcha, [fresh(gotcha), fresh(gotcha, probe=Probe.FIXED, by="github:first")], by="github:second")
    assert {result.by for result in kept(gotcha)} == {"github:first", "github:second"}


def test_nothing_to_keep_makes_no_file(gotcha: Gotcha) -> None:
    keep(gotcha, [a_result(proves="of an older form")])
    assert not (gotcha.path / KEPT).exists()


def test_a_write_that_is_cut_off_leaves_the_old_file(gotcha: Gotcha, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(gotcha, [fresh(gotcha)])
    before = (gotcha.path / KEPT).read_bytes()

    def cut_off(*_: Any) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", cut_off)
    monkeypatch.setattr(Path, "replace", cut_off)
    with pytest.raises(OSError, match="no space"):
        keep(gotcha, [fresh(gotcha, probe=Probe.FIXED)])
    assert (gotcha.path / KEPT).read_bytes() == before


def test_a_broken_file_is_an_error_and_stays(gotcha: Gotcha) -> None:
    (gotcha.path / KEPT).write_text("{}\n")
    with pytest.raises(ResultError, match=rf"{KEPT}:1: "):
        keep(gotcha, [fresh(gotcha)])
    assert (gotcha.path / KEPT).read_text() == "{}\n"

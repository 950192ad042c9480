"""A status on the site is derived from results, from the files on disk to what may be said."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from gpu_gotchas.records.model import Status
from gpu_gotchas.repro.proof import Proof
from gpu_gotchas.site.knowledge import Entry, entry, gather
from tests.site.samples import gotcha, result

UNPROVEN = Proof(("bug is not shown on sm_89",), ("fixed is not shown on sm_89",))
HALF = Proof((), ("fixed is not shown on sm_89",))
AGAINST = Proof(contradictions=("bug on sm_89 came out not-reproduced",))


@pytest.mark.parametrize(
    ("claimed", "proof", "said"),
    [
        (Status.VERIFIED, Proof(), Status.VERIFIED),
        (Status.VERIFIED, HALF, Status.REPRODUCED),
        (Status.VERIFIED, UNPROVEN, Status.DRAFT),
        (Status.VERIFIED, None, Status.DRAFT),
        (Status.VERIFIED, AGAINST, Status.CONTESTED),
        (Status.REPRODUCED, Proof(), Status.REPRODUCED),
        (Status.DRAFT, Proof(), Status.DRAFT),
        (Status.DRAFT, AGAINST, Status.CONTESTED),
        (Status.CONTESTED, Proof(), Status.CONTESTED),
        (Status.RETRACTED, None, Status.RETRACTED),
        (Status.SUPERSEDED, Proof(), Status.SUPERSEDED),
    ],
)
def test_the_site_never_says_more_than_results_show(
    claimed: Status, proof: Proof | None, said: Status
) -> None:
    assert Entry(gotcha(status=claimed), (), proof).status is said


RECORD = """\
id: sample-disk
title: An invented failure on disk
status: verified
severity: minor
kind: crash
added: "2026-11-30"
concepts: [invented]
symptom:
  summary: An invented process ends.
  signatures:
    - {lines: ["no room for {int} things"], basis: proven}
root_cause: Made up for a test.
workaround: [{do: Do something else.}]
affects: [{hardware: any}]
control: condition
reporter_count: 0
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "gotchas" / "sample-disk"
    folder.mkdir(parents=True)
    (folder / "gotcha.yaml").write_text(RECORD, "utf-8")
    (folder / "repro.py").write_text("def bug_logic(target): ...\n", "utf-8")
    return tmp_path / "gotchas"


def test_records_are_read_with_repro_and_results(root: Path) -> None:
    from gpu_gotchas.repro.fingerprint import fingerprint
    from gpu_gotchas.repro.source import read_repro

    (found,) = gather(root, date(2026, 11, 30)).entries
    repro = read_repro(found.gotcha.path)
    assert repro is not None
    current = fingerprint(found.gotcha, repro)
    fresh, old = result("sample-disk", proves=current), result("sample-disk", target="sm_90")
    described = result("sample-disk", proves=current, target="sm_80", described=True)
    lines = "".join(f"{one.to_json()}\n" for one in (fresh, old, described))
    (root / "sample-disk" / "verified.jsonl").write_text(lines, "utf-8")
    again = entry(found.gotcha)
    assert again.results == (fresh,)
    assert again.source == "def bug_logic(target): ...\n"
    assert again.proof is not None
    assert again.proof.stale == 1
    assert again.status is Status.DRAFT


def test_the_day_of_the_build_is_said(root: Path) -> None:
    assert gather(root, date(2026, 11, 30)).generated == "2026-11-30"

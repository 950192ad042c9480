from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.proving.knowledge import knowledge
from gpu_gotchas.records.loading import load_all
from gpu_gotchas.records.root import OVERRIDE
from tests.proving.project import symptom
from tests.repro.samples import write_gotcha

HISTORY = [{"date": "2026-11-30", "was": "Said that it was so.", "why": "It was not."}]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "gotchas"
    write_gotcha(folder, id="widget-misfit", symptom=symptom("widget"))
    write_gotcha(folder, id="gadget-misfit", symptom=symptom("gadget"))
    write_gotcha(
        folder,
        id="lever-misfit",
        symptom=symptom("lever"),
        status="retracted",
        history=HISTORY,
        workaround=[],
    )
    monkeypatch.setenv(OVERRIDE, str(folder))
    return folder


def test_it_knows_which_record_a_text_leads_to(root: Path) -> None:
    known = knowledge(load_all())
    assert known.first("Traceback …\nValueError: the widget w7 does not fit") == "widget-misfit"
    assert known.first("OSError: [Errno 98] Address already in use") is None


def test_it_knows_every_record_whose_signature_a_text_meets_but_those_that_were_withdrawn(root: Path) -> None:
    known = knowledge(load_all())
    text = "the gadget g does not fit\nthe widget w does not fit\nthe lever l does not fit"
    assert known.others(text) == ["gadget-misfit", "widget-misfit"]
    assert known.others("nothing") == []


def test_another_base_is_another_knowledge(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "ValueError: the clock c does not fit"
    assert knowledge(load_all()).first(text) != "clock-misfit"
    other = tmp_path / "other" / "gotchas"
    write_gotcha(other, id="clock-misfit", symptom=symptom("clock"))
    monkeypatch.setenv(OVERRIDE, str(other))
    assert knowledge(load_all()).first(text) == "clock-misfit"

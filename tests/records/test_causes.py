"""Each cause that public reports name has its record or candidate, and no other."""

from __future__ import annotations

from pathlib import Path

import yaml

from gpu_gotchas.records.loading import load_all, load_candidates

CAUSES: dict[str, str] = yaml.safe_load(
    (Path(__file__).parents[1] / "corpus" / "causes.yaml").read_text(encoding="utf-8")
)


def test_every_cause_leads_to_an_entry() -> None:
    known = {entry.id for entry in (*load_all(), *load_candidates())}
    assert set(CAUSES.values()) - known == set()


def test_a_name_means_one_thing() -> None:
    """A cause that is called like an entry is explained by that entry."""
    known = {entry.id for entry in (*load_all(), *load_candidates())}
    assert {cause: entry for cause, entry in CAUSES.items() if cause in known and cause != entry} == {}


def test_causes_are_in_order() -> None:
    assert list(CAUSES) == sorted(CAUSES)

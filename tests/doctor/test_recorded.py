"""Recorded machines: each reader, on what people's reports hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gpu_gotchas.doctor.assess import assess_all
from gpu_gotchas.doctor.claims import claim_of
from gpu_gotchas.doctor.readers.reading import read_file
from gpu_gotchas.doctor.situation import situation
from gpu_gotchas.records.loading import load_all
from gpu_gotchas.records.settings import settings

FOLDER = Path(__file__).parents[1] / "corpus" / "machines"
RECORDED: list[dict[str, Any]] = yaml.safe_load((FOLDER / "index.yaml").read_text(encoding="utf-8"))
names = pytest.mark.parametrize("recorded", RECORDED, ids=[one["file"] for one in RECORDED])


def test_there_are_enough_and_each_names_its_page() -> None:
    assert len(RECORDED) >= 25
    assert len({one["url"] for one in RECORDED}) == len(RECORDED)
    assert all(one["url"].startswith("https://") for one in RECORDED)
    assert {path.name for path in FOLDER.iterdir()} == {"index.yaml", *(one["file"] for one in RECORDED)}


@names
def test_what_it_says_is_read(recorded: dict[str, Any]) -> None:
    machine = read_file(FOLDER / recorded["file"]).machine
    cards = None if machine.cards is None else [card.gpu or card.name for card in machine.cards]
    assert cards == recorded["cards"]
    assert machine.count_known is recorded.get("count_known", True)
    for name, version in recorded["software"].items():
        assert (name, machine.software.get(name, "unknown")) == (name, version)
    for name in recorded.get("absent", ()):
        assert name not in machine.software
    for name, holds in recorded.get("platform", {}).items():
        assert (name, machine.platform.get(name)) == (name, holds)
    for name, value in recorded.get("settings", {}).items():
        assert machine.settings[name] == value
    if "targets" in recorded:
        assert {card.target.name for card in machine.cards or () if card.target} == set(recorded["targets"])
    if "memory" in recorded:
        assert {card.memory for card in machine.cards or ()} == {mib << 20 for mib in recorded["memory"]}
    assert machine.described


@names
def test_it_can_be_assessed(recorded: dict[str, Any]) -> None:
    where = situation(read_file(FOLDER / recorded["file"]), None, settings())
    found = assess_all(map(claim_of, load_all()), where.machine, where.defaults)
    assert found
    for one in found:
        assert one.cases
        assert bool(one.open) == (one.verdict.value == "may")


@names
def test_nothing_names_a_person_s_machine(recorded: dict[str, Any]) -> None:
    text = (FOLDER / recorded["file"]).read_text(encoding="utf-8")
    for telltale in ("/home/", "root@", "UUID: GPU-", "192.168.", "hostname", "@gmail"):
        assert telltale not in text

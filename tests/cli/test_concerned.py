"""The shortcut through the index says the same as every record's own file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gpu_gotchas.cli.concerned import concerned
from gpu_gotchas.doctor.asked import machine_as
from gpu_gotchas.doctor.assess import Verdict, assess_all
from gpu_gotchas.doctor.situation import Situation
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.records.loading import load_all
from gpu_gotchas.records.settings import settings

SOFTWARE = ({}, {"vllm": "0.15.0"}, {"vllm": "0.33.0", "triton": "3.6.0"}, {"vllm": None, "triton": None})
SETTINGS = ({}, {"kv_cache_dtype": "fp8"}, {"kv_cache_dtype": "auto", "dtype": "auto"})


def agree(where: Situation) -> None:
    found = assess_all(load_all(), where.machine, where.defaults)
    expected = {one.gotcha.id for one in found if one.verdict is not Verdict.CANNOT}
    asked = concerned(where, settings())
    assert {one.id for one in asked.gotchas} == expected
    assert asked.passed_over == len(found) - len(expected)
    assert {one.id for one in concerned(where, settings(), everything=True).gotchas} == {
        one.gotcha.id for one in found
    }


@pytest.mark.parametrize("card", [None, "sm_75", "sm_86", "sm_90", "sm_120", "gfx942", "8xnvidia-h200"])
def test_real_records(card: str | None) -> None:
    machine = Machine() if card is None else machine_as(card)
    for software in SOFTWARE:
        for chosen in SETTINGS:
            agree(Situation(replace(machine, software=software, settings=chosen)))


def test_invented_records(checkout: Path) -> None:
    for card in ("sm_86", "sm_90"):
        agree(Situation(machine_as(card)))
        names = concerned(Situation(machine_as(card)), settings()).names
        assert names["sample-old-fp8-name"] == "sample-fp8e4nv-refused"
        assert "sample-loose-cable" not in names, "a candidate is no record"

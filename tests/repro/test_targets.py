from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.hardware.conditions import CapabilityRange, HardwareCondition, VendorCondition
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.records.model import Case, Gotcha
from gpu_gotchas.repro.targets import (
    affected_targets,
    claims_hardware,
    compiled_targets,
    control_targets,
    is_affected,
)
from tests.repro.samples import read_gotcha
from tests.repro.strategies import capability_ranges

KNOWN = compiled_targets()
NVIDIA = [target for target in KNOWN if target.vendor is Vendor.NVIDIA]


@pytest.fixture(scope="module")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Gotcha:
    return read_gotcha(tmp_path_factory.mktemp("blank"))[0]


def affecting(gotcha: Gotcha, *ranges: str) -> Gotcha:
    from dataclasses import replace

    condition = VendorCondition(tuple(map(CapabilityRange.parse, ranges)))
    case = Case(HardwareCondition({Vendor.NVIDIA: condition}), {}, (), {})
    return replace(gotcha, affects=(case,))


def names(targets: Any) -> list[str]:
    return [target.name for target in targets]


def of(tmp_path: Path, **hardware: Any) -> Gotcha:
    return read_gotcha(tmp_path, affects=[{"hardware": hardware}])[0]


@given(data=st.data())
def test_every_affected_target_lies_inside_and_every_control_outside_and_beside(
    blank: Gotcha, data: st.DataObject
) -> None:
    ranges = data.draw(st.lists(capability_ranges(), min_size=1, max_size=3))
    gotcha = affecting(blank, *ranges)
    parsed = [CapabilityRange.parse(text) for text in ranges]
    affected, controls = affected_targets(gotcha, KNOWN), control_targets(gotcha, KNOWN)
    for target in NVIDIA:
        assert target.capability
        inside = any(one.contains(target.capability) for one in parsed)
        assert (target in affected) == inside
    assert not set(affected) & set(controls)
    for control in controls:
        place = NVIDIA.index(control)
        assert any(neighbour in affected for neighbour in NVIDIA[max(0, place - 1) : place + 2])


@given(data=st.data())
def test_each_run_of_affected_targets_has_its_controls_where_there_are_targets_left(
    blank: Gotcha, data: st.DataObject
) -> None:
    gotcha = affecting(blank, data.draw(capability_ranges()))
    affected, controls = affected_targets(gotcha, KNOWN), control_targets(gotcha, KNOWN)
    first, last = NVIDIA.index(affected[0]), NVIDIA.index(affected[-1])
    beside = NVIDIA[max(0, first - 1) : first] + NVIDIA[last + 1 : last + 2]
    assert list(controls) == beside


@pytest.mark.parametrize(
    ("ranges", "affected", "controls"),
    [
        (["<8.9"], "sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87", "sm_89"),
        ([">=8.9,<9.0", ">=12.0,<12.2"], "sm_89 sm_120 sm_121", "sm_87 sm_90 sm_110"),
        (["==8.0", "==8.7"], "sm_80 sm_87", "sm_75 sm_86 sm_89"),
        ([">=6.0"], " ".join(names(NVIDIA)), ""),
        ([">=12.1"], "sm_121", "sm_120"),
    ],
)
def test_the_nearest_outside_on_each_side(
    tmp_path: Path, ranges: list[str], affected: str, controls: str
) -> None:
    gotcha = of(tmp_path, nvidia={"compute_capability": ranges})
    assert names(affected_targets(gotcha, KNOWN)) == affected.split()
    assert names(control_targets(gotcha, KNOWN)) == controls.split()


def test_amd_controls_are_the_other_members_of_the_listed_family(tmp_path: Path) -> None:
    gotcha = of(tmp_path, amd={"gfx": ["gfx942"]})
    assert names(affected_targets(gotcha, KNOWN)) == ["gfx942"]
    assert names(control_targets(gotcha, KNOWN)) == ["gfx90a", "gfx950"]


def test_other_amd_families_are_no_controls(tmp_path: Path) -> None:
    controls = names(control_targets(of(tmp_path, amd={"gfx": ["gfx1200"]}), KNOWN))
    assert controls == ["gfx1201"]


def test_a_vendor_that_is_not_mentioned_is_not_claimed(tmp_path: Path) -> None:
    gotcha = of(tmp_path, nvidia="any")
    assert affected_targets(gotcha, KNOWN) == tuple(NVIDIA)
    assert control_targets(gotcha, KNOWN) == ()


def test_shared_memory_makes_a_range_too(tmp_path: Path) -> None:
    gotcha = of(tmp_path, nvidia="any", shared_memory="<=101376")
    assert {"sm_86", "sm_89", "sm_120"} <= set(names(affected_targets(gotcha, KNOWN)))
    assert not is_affected(gotcha, next(target for target in NVIDIA if target.name == "sm_90"))


def test_any_hardware_claims_none(tmp_path: Path) -> None:
    anywhere = read_gotcha(tmp_path, affects=[{"hardware": "any"}])[0]
    assert not claims_hardware(anywhere)
    assert affected_targets(anywhere, KNOWN) == KNOWN
    assert claims_hardware(of(tmp_path, nvidia="any"))
    assert claims_hardware(of(tmp_path, shared_memory="<=101376"))

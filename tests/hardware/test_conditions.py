"""Conditions on hardware: answers on targets and machines, and that learning more never flips one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gpu_gotchas.hardware.catalogue import find_gpu, find_target, targets
from gpu_gotchas.hardware.conditions import (
    CapabilityRange,
    HardwareCondition,
    NumberRange,
    VendorCondition,
    VersionRange,
    software_holds,
)
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.gpus import GIB
from gpu_gotchas.hardware.machine import Card, Machine
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.hardware.truth import Truth
from tests.hardware.strategies import hardware_conditions, less_known, machines, version_ranges

YES, NO, UNKNOWN = Truth.YES, Truth.NO, Truth.UNKNOWN
BELOW_SM89 = HardwareCondition({Vendor.NVIDIA: VendorCondition((CapabilityRange.parse("<8.9"),))})
NO_CARDS = Machine(cards=())
NOTHING_KNOWN = Machine()


def card(gpu_id: str, memory: float | None = None) -> Card:
    gpu = find_gpu(gpu_id)
    return Card(gpu.name, gpu.target, gpu.id, None if memory is None else round(memory * GIB), gpu.vendor)


def machine(*cards: Card, p2p: bool | None = None) -> Machine:
    return Machine(cards=cards, p2p=p2p)


def test_the_targets_inside_a_range_are_the_test_plan() -> None:
    inside = [target.name for target in targets() if BELOW_SM89.on_target(target) is YES]
    assert inside == ["sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87"]
    assert BELOW_SM89.on_target(find_target("gfx942")) is NO


def test_shared_memory_picks_targets_of_the_vendors_that_are_named() -> None:
    small = HardwareCondition({Vendor.NVIDIA: VendorCondition()}, shared_memory=NumberRange.parse("<=101376"))
    inside = [target.name for target in targets() if small.on_target(target) is YES]
    assert inside == [
        "sm_60",
        "sm_61",
        "sm_62",
        "sm_70",
        "sm_72",
        "sm_75",
        "sm_86",
        "sm_89",
        "sm_120",
        "sm_121",
    ]


def test_shared_memory_of_a_card_without_a_target_is_unknown() -> None:
    small = HardwareCondition(shared_memory=NumberRange.parse("<=101376"))
    assert small.on_machine(machine(Card("new", None))) is UNKNOWN
    assert small.on_machine(machine(card("nvidia-h200"))) is NO


def test_a_target_is_not_asked_for_memory_count_or_p2p() -> None:
    condition = HardwareCondition(memory=NumberRange.parse(">=80"), count=NumberRange.parse(">=2"), p2p=False)
    assert condition.on_target(find_target("sm_86")) is YES


def test_some_card_decides() -> None:
    assert BELOW_SM89.on_machine(machine(card("nvidia-h200"), card("nvidia-rtx-a5000"))) is YES
    assert BELOW_SM89.on_machine(machine(card("nvidia-h200"))) is NO
    assert BELOW_SM89.on_machine(machine(card("amd-mi300x"))) is NO
    assert BELOW_SM89.on_machine(NO_CARDS) is NO
    assert BELOW_SM89.on_machine(NOTHING_KNOWN) is UNKNOWN
    assert BELOW_SM89.on_machine(machine(card("nvidia-h200"), Card("new", None))) is UNKNOWN
    assert BELOW_SM89.on_machine(machine(card("nvidia-rtx-a5000"), Card("new", None))) is YES


def test_the_vendor_alone_can_decide() -> None:
    unlisted = machine(Card("AMD gfx1036", None, vendor=Vendor.AMD))
    assert BELOW_SM89.on_machine(unlisted) is NO
    assert HardwareCondition({Vendor.AMD: VendorCondition()}).on_machine(unlisted) is YES
    names = VendorCondition(names=("gfx942",))
    assert HardwareCondition({Vendor.AMD: names}).on_machine(unlisted) is UNKNOWN
    assert HardwareCondition({Vendor.AMD: names}).on_machine(machine(card("amd-mi300x"))) is YES
    assert HardwareCondition({Vendor.AMD: names}).on_machine(machine(card("amd-mi210"))) is NO


def test_any_hardware_holds_everywhere() -> None:
    for where in (NO_CARDS, NOTHING_KNOWN, machine(card("amd-mi210"))):
        assert HardwareCondition().on_machine(where) is YES
    assert HardwareCondition({}).on_machine(machine(card("amd-mi210"))) is NO


def test_memory_is_compared_as_cards_are_sold() -> None:
    at_least_24 = HardwareCondition(memory=NumberRange.parse(">=24"))
    assert at_least_24.on_machine(machine(card("nvidia-rtx-a5000", 23.988))) is YES
    assert at_least_24.on_machine(machine(card("nvidia-l4", 22.49))) is YES
    assert at_least_24.on_machine(machine(card("nvidia-rtx-a4000", 15.99))) is NO
    assert at_least_24.on_machine(machine(card("nvidia-rtx-a4000"))) is UNKNOWN
    assert at_least_24.on_machine(machine(Card("new", None, memory=round(22.5 * GIB)))) is UNKNOWN
    assert at_least_24.on_machine(machine(Card("new", None, memory=20 * GIB))) is NO
    modified = card("nvidia-cmp-170hx", 39.5)
    assert at_least_24.on_machine(machine(modified)) is YES


def test_one_card_must_meet_everything_that_is_asked_of_a_card() -> None:
    both = HardwareCondition(BELOW_SM89.vendors, memory=NumberRange.parse(">=80"))
    assert both.on_machine(machine(card("nvidia-h200", 139.8), card("nvidia-rtx-a5000", 24))) is NO
    assert both.on_machine(machine(card("nvidia-a100-sxm4-80gb", 79.3))) is YES


def test_count_and_p2p_are_the_machine_s() -> None:
    two = HardwareCondition(count=NumberRange.parse(">=2"), p2p=False)
    a5000 = card("nvidia-rtx-a5000", 24)
    assert two.on_machine(machine(a5000, a5000, p2p=False)) is YES
    assert two.on_machine(machine(a5000, a5000, p2p=True)) is NO
    assert two.on_machine(machine(a5000, a5000)) is UNKNOWN
    assert two.on_machine(machine(a5000)) is NO
    assert two.on_machine(NOTHING_KNOWN) is UNKNOWN


def test_a_described_target_answers_as_the_target_does() -> None:
    for target in targets():
        assert BELOW_SM89.on_machine(described_machine(target.name)) is BELOW_SM89.on_target(target)


@settings(max_examples=300)
@given(st.data(), machines(), hardware_conditions())
def test_learning_more_never_flips_a_hardware_condition(
    data: st.DataObject, full: Machine, condition: HardwareCondition
) -> None:
    before = condition.on_machine(data.draw(less_known(full)))
    after = condition.on_machine(full)
    assert after is not UNKNOWN
    assert before in (UNKNOWN, after)


@given(st.data(), machines(), st.lists(version_ranges(), min_size=1, max_size=2))
def test_learning_more_never_flips_a_version_condition(
    data: st.DataObject, full: Machine, ranges: list[VersionRange]
) -> None:
    less = data.draw(less_known(full))
    for package in full.software:
        before = software_holds(ranges, less, package)
        assert before in (UNKNOWN, software_holds(ranges, full, package))


@given(machines(), hardware_conditions())
def test_a_machine_is_affected_only_through_a_target_that_is(
    full: Machine, condition: HardwareCondition
) -> None:
    assert full.cards is not None
    asks_of_cards = condition.vendors is not None or condition.shared_memory is not None
    if asks_of_cards and condition.on_machine(full) is YES:
        assert any(card.target and condition.on_target(card.target) is YES for card in full.cards)

"""Conditions as people say them."""

from __future__ import annotations

import pytest

from gpu_gotchas.hardware.catalogue import find_gpu, gpus, targets
from gpu_gotchas.hardware.conditions import (
    CapabilityRange,
    HardwareCondition,
    NumberRange,
    VendorCondition,
    VersionRange,
)
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.records.model import Kind, Status
from gpu_gotchas.site.wording import (
    KINDS,
    STATUSES,
    bound_words,
    capabilities,
    either,
    gpu_name,
    hardware,
    in_unit,
    listed,
    measured,
    plural,
    versions,
)
from tests.site.samples import nvidia


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("<8.9", "below 8.9"),
        ("<=8.9", "up to 8.9"),
        (">=9.0", "9.0 and newer"),
        (">9.0", "above 9.0"),
        ("==12.1", "12.1"),
        (">=8.9,<9.0", "8.9"),
        (">=12.0,<12.2", "12.0 to 12.1"),
        (">=55.0,<56.0", ">=55.0,<56.0"),
    ],
)
def test_capabilities(given: str, said: str) -> None:
    assert capabilities(CapabilityRange.parse(given), targets()) == said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (HardwareCondition(), "any card"),
        (nvidia(">=8.9,<9.0", ">=12.0,<12.2"), "NVIDIA with compute capability 8.9 or 12.0 to 12.1"),
        (HardwareCondition({Vendor.AMD: VendorCondition(names=("gfx942", "gfx950"))}),
         "AMD gfx942 or gfx950"),
        (HardwareCondition({Vendor.NVIDIA: VendorCondition(), Vendor.AMD: VendorCondition()}),
         "every NVIDIA card or every AMD card"),
        (HardwareCondition(shared_memory=NumberRange.parse("<=101376"), memory=NumberRange.parse(">=24")),
         "any card, at most 99 KiB of shared memory for a block, at least 24 GB of memory"),
        (HardwareCondition(count=NumberRange.parse(">=2"), p2p=False),
         "any card, at least 2 GPUs in the machine, no peer access between GPUs"),
    ],
)  # fmt: skip
def test_hardware(given: HardwareCondition, said: str) -> None:
    assert hardware(given, targets()) == said


@pytest.mark.parametrize(
    ("given", "run", "said"),
    [
        ((VersionRange("0.20.0", None, "0.33.0", True),), True,
         "vLLM 0.20.0 to 0.33.0 (measured; later not known)"),
        ((VersionRange("0.20.0", None, "0.33.0", True),), None, "vLLM 0.20.0 to 0.33.0 (later not known)"),
        ((VersionRange("0.20.0", None, "0.33.0"),), True, "vLLM 0.20.0 to 0.33.0 (later not known)"),
        ((VersionRange("0.20.0", "0.21.0"),), False, "vLLM 0.20.0 to before 0.21.0 (fixed in 0.21.0)"),
        ((VersionRange(None, "0.21.0"),), False, "vLLM before 0.21.0 (fixed in 0.21.0)"),
        ((VersionRange("0.20.0"),), False, "vLLM 0.20.0 and newer"),
        ((VersionRange(None, None, "0.33.0"),), False, "vLLM up to 0.33.0 (later not known)"),
        ((VersionRange("0.33.0", None, "0.33.0"),), False, "vLLM 0.33.0 (later not known)"),
        ((VersionRange(),), False, "vLLM of any version"),
        ((), False, "vLLM of any version"),
        ((VersionRange(None, "0.2"), VersionRange("0.4", "0.5")), False,
         "vLLM before 0.2 (fixed in 0.2) or 0.4 to before 0.5 (fixed in 0.5)"),
    ],
)  # fmt: skip
def test_versions(given: tuple[VersionRange, ...], run: bool | None, said: str) -> None:
    assert versions("vllm", given, run=run) == said


def test_a_measured_range_without_a_run_says_so() -> None:
    said = versions("vllm", (VersionRange("0.20.0", None, "0.33.0", True),), run=False)
    assert "said to be measured" in said


@pytest.mark.parametrize(
    ("id", "said"),
    [
        ("nvidia-rtx-3090", "RTX 3090"),
        ("nvidia-gb10", "GB10"),
        ("amd-mi300x", "MI300X"),
        ("nvidia-t4", "T4"),
        ("amd-rx-7900-xtx", "RX 7900 XTX"),
        ("nvidia-rtx-3080-12gb", "RTX 3080 12 GB"),
        ("nvidia-jetson-agx-orin-64gb", "Jetson AGX Orin 64 GB"),
    ],
)
def test_cards_are_called_as_people_call_them(id: str, said: str) -> None:
    assert gpu_name(find_gpu(id)) == said


def test_no_two_cards_are_called_alike() -> None:
    names = [gpu_name(gpu) for gpu in gpus()]
    assert sorted(names) == sorted(set(names))


def test_every_kind_and_status_has_words() -> None:
    assert set(KINDS) == set(Kind)
    assert set(STATUSES) == set(Status)


def test_lists() -> None:
    assert [either(["a", "b", "c"][:n]) for n in range(4)] == ["", "a", "a or b", "a, b or c"]
    assert [listed(["a", "b", "c"][:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert [plural(0, "card"), plural(1, "card"), plural(2, "person", "people")] == [
        "0 cards",
        "1 card",
        "2 people",
    ]


def test_quantities() -> None:
    assert [bound_words(above, "2.5") for above in (True, False)] == ["at least 2.5", "at most 2.5"]
    assert [in_unit(unit) for unit in ("bytes", "share")] == ["in bytes", "as a share"]
    assert measured([3.02865, 3.11719], "ratio") == "3.03 to 3.12"
    assert measured([7.0, 7.0], "ids") == "7 ids"
    assert measured([0.0], "") == "0"
    assert measured([83968, 102400.4], "bytes") == "83,968 to 102,400 bytes"

"""This machine: sources are asked in turn, none of them can break it, and "none" is said only when known."""

from __future__ import annotations

import pytest

from gpu_gotchas.hardware import detect
from gpu_gotchas.hardware.detect import combine, first_that_tells, this_machine
from gpu_gotchas.hardware.detect.finding import Finding, card, nothing
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.targets import Vendor

A5000 = card(Vendor.NVIDIA, "NVIDIA RTX A5000", "sm_86", 25757220864)
MI300X = card(Vendor.AMD, "AMD Instinct MI300X", "gfx942", 206141652992)
NONE = Finding(cards=())
LINUX = {"linux": True}


def nvidia() -> Finding:
    return Finding((A5000,), {"nvidia-driver": "580.65.06", "cuda-runtime": "13.0"}, p2p=False)


def silent() -> Finding:
    return nothing("NVIDIA GPUs", "NVML: it is asleep")


def broken() -> Finding:
    raise KeyError("a fault of ours")


def combined(one: Finding, other: Finding, platform: dict[str, bool] = LINUX) -> Machine:
    return combine(one, other, Finding(software={"cuda-runtime": "12.8"}), platform, ())


def test_the_first_source_that_knows_its_cards_answers() -> None:
    assert first_that_tells([silent, broken, nvidia], "NVIDIA GPUs") == nvidia()


def test_when_no_source_knows_every_reason_is_given() -> None:
    finding = first_that_tells([silent, broken], "NVIDIA GPUs")
    assert finding.cards is None
    assert finding.unknown[0].what == "NVIDIA GPUs"
    assert "a fault of ours" in finding.unknown[0].because
    assert first_that_tells([], "AMD GPUs").cards is None


def test_both_vendors() -> None:
    machine = combined(nvidia(), Finding((MI300X,)))
    assert machine.cards == (A5000, MI300X)
    assert machine.p2p is None, "nobody asked one vendor's card for the other's memory"
    assert machine.software == {"nvidia-driver": "580.65.06", "cuda-runtime": "12.8"}
    assert not machine.described


def test_none_is_said_only_when_both_vendors_are_known_to_be_missing() -> None:
    assert combined(NONE, NONE).cards == ()
    machine = combined(NONE, nothing("AMD GPUs", "asleep"))
    assert machine.cards is None
    assert machine.unknown[0].what == "AMD GPUs"


def test_one_vendor_s_unknown_cards_leave_the_whole_unknown_on_linux() -> None:
    assert combined(nvidia(), nothing("AMD GPUs", "/dev/kfd is there")).cards is None


@pytest.mark.parametrize("platform", ["wsl2", "windows"])
def test_where_vendors_share_a_door_the_card_that_was_seen_answers(platform: str) -> None:
    machine = combined(nvidia(), nothing("AMD GPUs", "/dev/dxg is there"), {platform: True})
    assert machine.cards == (A5000,)
    assert machine.p2p is False
    assert combined(NONE, nothing("AMD GPUs", "asleep"), {platform: True}).cards is None


def test_a_mac_has_no_card_and_an_unknown_system_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nvml", "nvidia_smi", "amd_smi", "rocminfo", "rocm_smi"):
        monkeypatch.setattr(getattr(detect, name), "find", lambda: nothing("GPUs", "it is not installed"))
    monkeypatch.setattr(detect.sys, "platform", "darwin")
    assert this_machine().cards == ()
    monkeypatch.setattr(detect.sys, "platform", "win32")
    assert this_machine().cards is None


def test_every_source_can_break_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nvml", "nvidia_smi", "amd_smi", "rocminfo", "rocm_smi"):
        monkeypatch.setattr(getattr(detect, name), "find", broken)
    for name in ("nvidia_nodes", "amd_nodes"):
        monkeypatch.setattr(detect.device_nodes, name, broken)
    monkeypatch.setattr(detect.sys, "platform", "linux")
    machine = this_machine()
    assert machine.cards is None
    assert {unknown.what for unknown in machine.unknown} >= {"NVIDIA GPUs", "AMD GPUs"}


def test_it_says_what_this_machine_is() -> None:
    machine = this_machine()
    assert machine.software["python"]
    assert "triton" in machine.software
    assert sum(machine.platform[name] for name in ("linux", "windows", "macos")) == 1
    assert machine.cards is not None or machine.unknown

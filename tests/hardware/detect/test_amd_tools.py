"""amd-smi, rocminfo and rocm-smi: answers of several ROCm versions, cut to what is read."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.hardware.detect import amd_smi, rocm_smi, rocminfo
from gpu_gotchas.hardware.detect.finding import Finding
from gpu_gotchas.hardware.detect.json_output import first_json
from gpu_gotchas.hardware.detect.tools import Output
from gpu_gotchas.hardware.targets import Vendor

ASIC = {
    "market_name": "AMD Instinct MI300X",
    "vendor_id": "0x1002",
    "device_id": "0x74a1",
    "num_compute_units": 304,
    "target_graphics_version": "gfx942",
}
VRAM = {"type": "HBM3", "size": {"value": 196592, "unit": "MB"}}

ROCMINFO = """\
ROCk module is loaded
=====================
HSA System Attributes
=====================
Runtime Version:         1.15
==========
HSA Agents
==========
*******
Agent 1
*******
  Name:                    AMD EPYC 9534 64-Core Processor
  Uuid:                    CPU-XX
  Marketing Name:          AMD EPYC 9534 64-Core Processor
  Device Type:             CPU
  Pool Info:
    Pool 1
      Segment:                 GLOBAL; FLAGS: FINE GRAINED
      Size:                    1056906528(0x3eff1d20) KB
*******
Agent 2
*******
  Name:                    gfx90a:sramecc+:xnack-
  Uuid:                    GPU-024b776f768a638b
  Marketing Name:          AMD Instinct MI210
  Vendor Name:             AMD
  Device Type:             GPU
  Pool Info:
    Pool 1
      Segment:                 GLOBAL; FLAGS: COARSE GRAINED
      Size:                    67092480(0x3ffc000) KB
      Allocatable:             TRUE
  ISA Info:
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-
*******
Agent 3
*******
  Name:                    gfx1036
  Marketing Name:          AMD Radeon Graphics
  Device Type:             GPU
*** Done ***
"""

ROCM_SMI = (
    "WARNING: AMD GPU device(s) is/are in a low-power state. Check power control/runtime_status\n"
    '{"card0": {"VRAM Total Memory (B)": "34208743424", "VRAM Total Used Memory (B)": "889229312", '
    '"Card Series": "AMD Radeon AI PRO R9700", "Card Model": "0x7551", "GFX Version": "gfx1201"}, '
    '"card1": {"VRAM Total Memory (B)": "2147483648", "Card Series": "AMD Ryzen 9 9950X3D", '
    '"GFX Version": "gfx1036"}, "system": {"Driver version": "6.14.14"}}\n'
)
ROCM_SMI_5 = '{"card0": {"VRAM Total Memory (B)": "68702699520", "Card series": "AMD Instinct MI210"}}'


@pytest.mark.parametrize(
    "answer",
    [
        [{"gpu": 0, "asic": ASIC, "vram": VRAM}],
        {"gpu_data": [{"gpu": 0, "asic": ASIC, "vram": VRAM}]},
        [{"gpu": 0, "asic": ASIC, "vram": {"size": "196592 MB"}}],
    ],
    ids=["rocm-6", "rocm-7", "text"],
)
def test_amd_smi(answer: object) -> None:
    finding = amd_smi.read(Output("WARNING: something\n" + json.dumps(answer), 0))
    assert finding.cards is not None
    (card,) = finding.cards
    assert (card.gpu, card.memory) == ("amd-mi300x", 196592 * 1024**2)
    assert card.target is not None
    assert card.target.name == "gfx942"


def test_amd_smi_without_a_name_or_memory() -> None:
    asic = {**ASIC, "market_name": "0x74a1"}
    finding = amd_smi.read(Output(json.dumps([{"asic": asic, "vram": {"size": "N/A"}}]), 0))
    assert finding.cards is not None
    (card,) = finding.cards
    assert (card.name, card.gpu, card.memory) == ("AMD gfx942", None, None)


def test_rocminfo_takes_gpus_and_leaves_the_cpu() -> None:
    finding = rocminfo.read(Output(ROCMINFO, 0))
    assert finding.cards is not None
    mi210, other = finding.cards
    assert (mi210.gpu, mi210.memory) == ("amd-mi210", 67092480 * 1024)
    assert (other.target, other.vendor, other.memory) == (None, Vendor.AMD, None)


def test_rocminfo_with_a_cpu_only() -> None:
    assert rocminfo.read(Output(ROCMINFO.partition("*******\nAgent 2")[0], 0)).cards == ()


def test_rocm_smi_looks_past_warnings() -> None:
    finding = rocm_smi.read(Output(ROCM_SMI, 0))
    assert finding.cards is not None
    assert [card.gpu for card in finding.cards] == ["amd-radeon-ai-pro-r9700", None]
    assert finding.cards[0].memory == 34208743424


def test_an_older_rocm_smi_leads_to_the_target_by_name() -> None:
    finding = rocm_smi.read(Output(ROCM_SMI_5, 0))
    assert finding.cards is not None
    assert finding.cards[0].target is not None
    assert finding.cards[0].target.name == "gfx90a"


READERS = (amd_smi.read, rocminfo.read, rocm_smi.read)
BROKEN = ("", "ROCk module is NOT loaded, possibly no GPU devices", "{", "[1]", '{"card0": 3}', "[" * 5000)


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__module__.rpartition(".")[2])
@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_answer_is_unknown(read: Callable[[Output], Finding], text: str) -> None:
    finding = read(Output(text, 1))
    assert finding.cards is None
    assert finding.unknown


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda raw: raw.decode("latin-1")))
def test_no_answer_raises(text: str) -> None:
    for read in READERS:
        read(Output(text, 0))


def test_the_first_json_of_an_answer() -> None:
    assert first_json('noise [x]\n[not json\n  {"a": 1} tail') == {"a": 1}
    assert first_json("nothing") is None

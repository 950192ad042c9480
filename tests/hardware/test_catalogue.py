"""The catalogue: its data fit the schema and each other, and names lead to entries."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.hardware import catalogue
from gpu_gotchas.hardware.catalogue import (
    UnknownName,
    find_gpu,
    find_target,
    gpu_by_driver_name,
    gpus,
    gpus_by_driver_name,
    other_named,
    others,
    target_by_driver_name,
    targets,
)
from gpu_gotchas.hardware.conditions import HardwareCondition, VendorCondition
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.gpus import GIB, Gpu, plain_name, size_as_sold, sizes_as_sold
from gpu_gotchas.hardware.targets import Target, Vendor, nvidia_target_name
from gpu_gotchas.hardware.truth import Truth

DATA = Path(catalogue.__file__).parent / "data"
SCHEMA = Path(__file__).parents[2] / "schema" / "gpu.schema.json"
FILES = sorted(DATA.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_data_fit_the_schema(path: Path) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(path.read_text(encoding="utf-8")), schema)


@pytest.mark.parametrize(
    "spoil",
    [
        {"vendor": "voodoo"},
        {"target": "sm86"},
        {"memory": [0]},
        {"source": "http://example.org"},
        {"id": "NVIDIA-A2"},
        {"tdp": 70},
        {"multiprocessors": 0},
    ],
    ids=str,
)
def test_the_schema_refuses_a_spoilt_gpu(spoil: dict[str, object]) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    entry = json.loads((DATA / "gpus_nvidia.json").read_text(encoding="utf-8"))["gpus"][0]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"gpus": [{**entry, **spoil}]}, schema)


def test_it_is_as_large_as_it_claims() -> None:
    assert len(gpus()) >= 75
    assert {gpu.target.name for gpu in gpus()} == {target.name for target in targets()}, "a target has no GPU"


def test_the_cards_that_an_earlier_base_lacked_are_here() -> None:
    assert find_gpu("nvidia-rtx-a5000").target.name == "sm_86"
    assert find_gpu("nvidia-cmp-170hx").target.name == "sm_80"
    assert find_gpu("nvidia-gb10").target.name == "sm_121"


def test_others_are_known_and_nothing_is_claimed_of_them() -> None:
    ids = {gpu.id for gpu in gpus()}
    assert others()
    for other in others():
        assert other.id not in ids
        assert other_named(other.id) is other_named(other.name.upper()) is other
        (card,) = described_machine(other.id).cards or ()
        assert (card.target, card.vendor, card.gpu) == (None, Vendor.INTEL, other.id)
        nvidia = HardwareCondition({Vendor.NVIDIA: VendorCondition()})
        assert nvidia.on_card(card) is Truth.NO, "a vendor that is not mentioned is not claimed"
        assert HardwareCondition({Vendor.INTEL: VendorCondition()}).on_card(card) is Truth.YES


def test_ids_and_names_are_unique() -> None:
    assert max(Counter(gpu.id for gpu in gpus()).values()) == 1
    assert max(Counter(target.name for target in targets()).values()) == 1


def test_targets_stand_in_order() -> None:
    nvidia = [target.capability for target in targets() if target.vendor is Vendor.NVIDIA]
    assert nvidia == sorted(set(nvidia))
    assert nvidia[0] == (6, 0)
    assert nvidia[-1] == (12, 1)
    vendors = [target.vendor for target in targets()]
    assert vendors == sorted(vendors, key=[Vendor.NVIDIA, Vendor.AMD].index)
    assert next(target.name for target in targets() if target.vendor is Vendor.AMD) == "gfx90a"


@pytest.mark.parametrize("target", targets(), ids=lambda target: target.name)
def test_a_target_agrees_with_itself(target: Target) -> None:
    assert target.shared_optin >= target.shared_default > 0
    assert (target.capability is not None) == (target.vendor is Vendor.NVIDIA)
    if target.capability is not None:
        assert target.name == nvidia_target_name(target.capability)
        assert target.warp_size == 32
        assert target.shared_default == 48 * 1024
    assert find_target(target.name.upper()) is target


# The limits that launches are refused with, as cudaDevAttrMaxSharedMemoryPerBlockOptin reports them.
@pytest.mark.parametrize(
    ("name", "optin"),
    [
        ("sm_61", 49152),
        ("sm_70", 98304),
        ("sm_75", 65536),
        ("sm_80", 166912),
        ("sm_86", 101376),
        ("sm_87", 166912),
        ("sm_89", 101376),
        ("sm_90", 232448),
        ("sm_100", 232448),
        ("sm_103", 232448),
        ("sm_110", 232448),
        ("sm_120", 101376),
        ("sm_121", 101376),
        ("gfx942", 65536),
        ("gfx950", 163840),
        ("gfx1201", 65536),
    ],
)
def test_limits_of_shared_memory(name: str, optin: int) -> None:
    assert find_target(name).shared_optin == optin


@pytest.mark.parametrize("gpu", gpus(), ids=lambda gpu: gpu.id)
def test_a_gpu_agrees_with_its_target_and_its_names(gpu: Gpu) -> None:
    assert gpu.vendor is gpu.target.vendor
    assert gpu.id.startswith(gpu.vendor.value + "-")
    assert find_gpu(gpu.id) is gpu
    assert list(gpu.memory) == sorted(gpu.memory)
    for name in gpu.names:
        found = gpus_by_driver_name(name)
        assert gpu in found
        assert {other.target for other in found} == {gpu.target}, "one name, two targets"
        assert target_by_driver_name(name) is gpu.target


# How generations are named, said a second time so that a slip in the data shows.
GENERATIONS = {
    "sm_60": r"Tesla P100.*|Quadro GP100",
    "sm_61": r"Tesla P40?|.* GTX 10\d0.*|NVIDIA TITAN Xp|P10\d-100",
    "sm_62": r"NVIDIA Tegra X2",
    "sm_70": r"Tesla V100.*|NVIDIA TITAN V|Quadro GV100",
    "sm_72": r"Xavier",
    "sm_75": r"Tesla T4|NVIDIA T4G|.*GeForce (GTX 16|RTX 20)\d0.*|Quadro RTX .*|.*TITAN RTX|.* CMP [345]0HX",
    "sm_80": r"NVIDIA A[18]00.*|NVIDIA A30|NVIDIA CMP 170HX",
    "sm_86": r"NVIDIA A(2|10|10G|16|40)|NVIDIA RTX A\d[05]00|.*GeForce RTX 30\d0.*|.* CMP [79]0HX",
    "sm_87": r"Orin",
    "sm_89": r"NVIDIA L\d+S?|NVIDIA RTX .* Ada Generation|.*GeForce RTX 40\d0.*",
    "sm_90": r"NVIDIA H(?:[128]00|20\b).*|.* GH200 .*",
    "sm_100": r"NVIDIA B200|NVIDIA GB200",
    "sm_103": r"NVIDIA G?B300.*",
    "sm_110": r"NVIDIA Thor",
    "sm_120": r"NVIDIA RTX PRO .* Blackwell.*|.*GeForce RTX 50\d0.*",
    "sm_121": r"NVIDIA GB10",
    "gfx90a": r".* MI2\d0X?",
    "gfx942": r".* MI3(00A|00X|08X|25X)",
    "gfx950": r".* MI35[05]X",
    "gfx1030": r".* RX 6[89]\d0.*|.* W6800",
    "gfx1100": r".* RX 7900.*|.* W7[89]00",
    "gfx1101": r".* RX 7[78]00 XT|.* W7700",
    "gfx1102": r".* RX 7600.*|.* W7[56]00",
    "gfx1103": r".* 7[68]0M",
    "gfx1150": r".* 8[89]0M",
    "gfx1151": r".* 80[56]0S",
    "gfx1200": r".* RX 9060.*",
    "gfx1201": r".* RX 9070.*|.* R9700",
}


@pytest.mark.parametrize("gpu", gpus(), ids=lambda gpu: gpu.id)
def test_a_gpu_has_the_target_of_its_generation(gpu: Gpu) -> None:
    named = [target for target, pattern in GENERATIONS.items() if re.fullmatch(pattern, gpu.name)]
    assert named == [gpu.target.name]


def test_a_driver_s_name_leads_to_one_gpu_or_none() -> None:
    for gpu in gpus():
        found = gpu_by_driver_name(gpu.name)
        assert found is (gpu if len(gpus_by_driver_name(gpu.name)) == 1 else None)
    assert gpu_by_driver_name("Voodoo2") is None
    assert target_by_driver_name("Voodoo2") is None


def test_memory_tells_models_apart_that_share_a_name() -> None:
    name = "NVIDIA GeForce RTX 3080"
    assert gpu_by_driver_name(name) is None
    assert gpu_by_driver_name(name, 10 * GIB) is find_gpu("nvidia-rtx-3080")
    assert gpu_by_driver_name(name, round(11.99 * GIB)) is find_gpu("nvidia-rtx-3080-12gb")
    assert gpu_by_driver_name("Orin", round(61.37 * GIB)) is find_gpu("nvidia-jetson-agx-orin-64gb")
    assert gpu_by_driver_name("NVIDIA CMP 170HX", 40 * GIB) is find_gpu("nvidia-cmp-170hx"), "modified"
    assert gpu_by_driver_name("Orin", round(7.4 * GIB)) is None, "two models have 8 GB"


@pytest.mark.parametrize(
    ("reported", "id"),
    [
        ("GeForce RTX 3090", "nvidia-rtx-3090"),
        ("NVIDIA  GeForce RTX 4090", "nvidia-rtx-4090"),
        ("A100-SXM4-40GB", "nvidia-a100-sxm4-40gb"),
        ("AMD Radeon(TM) 8060S Graphics", "amd-radeon-8060s"),
        ("AMD Radeon Pro W7900", "amd-radeon-pro-w7900"),
        ("Radeon RX 7900 XT", "amd-rx-7900-xt"),
    ],
)
def test_spellings_of_other_drivers_are_known(reported: str, id: str) -> None:
    assert gpu_by_driver_name(reported) is find_gpu(id)


def test_a_laptop_is_not_its_namesake() -> None:
    assert gpu_by_driver_name("NVIDIA GeForce RTX 4090 Laptop GPU") is find_gpu("nvidia-rtx-4090-laptop-gpu")
    assert gpu_by_driver_name("NVIDIA GeForce RTX 4070 Laptop GPU") is None


@pytest.mark.parametrize(
    ("said", "target"),
    [
        ("8.6", "sm_86"),
        ("SM_90", "sm_90"),
        ("RTX 3090", "sm_86"),
        ("rtx-3090", "sm_86"),
        ("rtx3090", "sm_86"),
        ("h100", "sm_90"),
        ("nvidia-a100", "sm_80"),
        ("RTX PRO 6000", "sm_120"),
        ("mi300", "gfx942"),
        ("geforce rtx 3090", "sm_86"),
        ("NVIDIA GeForce RTX 3090", "sm_86"),
        ("nvidia-l4", "sm_89"),
        ("NVIDIA L4", "sm_89"),
        ("T4", "sm_75"),
        ("MI300X", "gfx942"),
    ],
)
def test_a_target_is_also_found_by_what_people_call_its_cards(said: str, target: str) -> None:
    assert find_target(said).name == target


def test_every_gpu_leads_to_its_target() -> None:
    for gpu in gpus():
        assert find_target(gpu.id) is gpu.target
        assert {find_target(name) for name in gpu.names} == {gpu.target}


def test_a_name_without_a_likeness_is_told_what_names_look_like() -> None:
    for vague in ("nvidia", "rtx", "laptop", "90"):
        with pytest.raises(UnknownName):
            find_target(vague)
    with pytest.raises(UnknownName, match=r"unknown target 'foo'; name it as sm_86, gfx942 or 8\.6, or"):
        find_target("foo")


def test_an_unknown_name_comes_with_suggestions() -> None:
    with pytest.raises(UnknownName, match=r"did you mean.*sm_86"):
        find_target("sm86")
    with pytest.raises(UnknownName, match="nvidia-rtx-a5000"):
        find_gpu("nvidia-rtx-5000a")
    with pytest.raises(UnknownName) as caught:
        find_gpu("zzz")
    assert caught.value.suggestions == ()
    assert str(caught.value) == "unknown GPU 'zzz'"


# Totals in MiB as nvidia-smi prints them.
@pytest.mark.parametrize(
    ("id", "mib", "sold"),
    [
        ("nvidia-rtx-4090", 24564, 24),
        ("nvidia-rtx-5070", 12227, 12),
        ("nvidia-l4", 23034, 24),
        ("nvidia-rtx-a4000", 16376, 16),
        ("nvidia-h100-sxm5", 81559, 80),
        ("nvidia-rtx-pro-6000-blackwell-server", 97887, 96),
        ("nvidia-b300", 275040, 288),
        ("nvidia-quadro-rtx-6000", 24576, 24),
    ],
)
def test_what_a_driver_reports_leads_to_the_size_on_the_box(id: str, mib: int, sold: int) -> None:
    assert size_as_sold(find_gpu(id), mib * 1024**2) == sold


@given(st.sampled_from(gpus()), st.integers(0, 600 * GIB))
def test_a_size_as_sold_is_one_of_those_that_are_possible(gpu: Gpu, memory: int) -> None:
    assert size_as_sold(gpu, memory) in sizes_as_sold(memory)


@given(st.sampled_from(gpus()))
def test_case_and_vendor_do_not_matter_in_a_name(gpu: Gpu) -> None:
    assert gpus_by_driver_name(gpu.name.upper()) == gpus_by_driver_name(plain_name(gpu.name))


@given(st.text(max_size=40))
def test_any_name_can_be_asked_for(name: str) -> None:
    found = gpu_by_driver_name(name)
    assert found is None or plain_name(name) in map(plain_name, found.names)


def test_a_broken_entry_names_file_and_entry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entry = json.loads((DATA / "targets.json").read_text(encoding="utf-8"))["targets"][0]
    monkeypatch.setattr(catalogue, "_DATA", tmp_path)
    broken = {"targets": [{**entry, "vendor": "voodoo"}]}
    (tmp_path / "targets.json").write_text(json.dumps(broken), encoding="utf-8")
    with pytest.raises(catalogue.CatalogueError, match=r"targets\.json: sm_60: 'voodoo'"):
        catalogue.targets.__wrapped__()
    (tmp_path / "targets.json").write_text("{}", encoding="utf-8")
    with pytest.raises(catalogue.CatalogueError, match=r"targets\.json: wants an object"):
        catalogue.targets.__wrapped__()


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("DGX Spark", "sm_121"),
        ("Strix Halo", "gfx1151"),
        ("4090", "sm_89"),
        ("Hopper", "sm_90"),
        ("g6.xlarge", "sm_89"),
    ],
)
def test_what_people_call_a_machine_is_its_target(name: str, target: str) -> None:
    assert find_target(name).name == target


def test_an_architecture_of_several_targets_names_them() -> None:
    with pytest.raises(UnknownName, match="sm_80, sm_86, sm_87"):
        find_target("Ampere")

"""`--as` and `--with`."""

from __future__ import annotations

import pytest

from gpu_gotchas.doctor.asked import machine_as, not_spoken_of, software_with
from gpu_gotchas.doctor.store import open_knowledge
from gpu_gotchas.doctor.wording import card_words
from gpu_gotchas.hardware.catalogue import UnknownName, gpus
from gpu_gotchas.hardware.nicknames import nicknames


def test_how_many_cards_is_known_only_where_it_is_said() -> None:
    one = machine_as("sm_86")
    assert (len(one.cards or ()), one.count_known) == (1, False)
    eight = machine_as("8xnvidia-h200")
    assert (len(eight.cards or ()), eight.count_known) == (8, True)
    with pytest.raises(UnknownName, match="did you mean"):
        machine_as("4 x nvidia-h2000")
    assert one.described


@pytest.mark.parametrize("name", ["0xnvidia-h200", "1025 x sm_90"])
def test_a_count_that_no_machine_has_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="give 1 to 1024"):
        machine_as(name)


def test_versions() -> None:
    assert software_with(["vllm==0.19.1", "flash_attn=2.8.3", "sglang==none", "torch==v2.9.0+cu130"]) == {
        "vllm": "0.19.1",
        "flash-attn": "2.8.3",
        "sglang": None,
        "torch": "2.9.0+cu130",
    }
    for pin in ("vllm", "vllm>=1", "==1", "vllm==", "a b==1", "vllm==x"):
        with pytest.raises(ValueError, match="PACKAGE==VERSION"):
            software_with([pin])


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("DGX Spark", "NVIDIA GB10 (sm_121, 128 GiB)"),
        ("Spark", "NVIDIA GB10 (sm_121, 128 GiB)"),
        ("GB10", "NVIDIA GB10 (sm_121, 128 GiB)"),
        ("Thor", "NVIDIA Thor (sm_110, 128 GiB)"),
        ("Strix Halo", "gfx1151"),
        ("3090", "NVIDIA GeForce RTX 3090 (sm_86, 24 GiB)"),
        ("4090", "NVIDIA GeForce RTX 4090 (sm_89, 24 GiB)"),
        ("4070 Ti Super", "NVIDIA GeForce RTX 4070 Ti SUPER (sm_89, 16 GiB)"),
        ("2x3090", "2 x NVIDIA GeForce RTX 3090 (sm_86, 24 GiB)"),
        ("RTX PRO 6000", "NVIDIA RTX PRO 6000 Blackwell (sm_120, 96 GiB)"),
        ("H100", "NVIDIA H100 (sm_90)"),
        ("H100 SXM", "NVIDIA H100 80GB HBM3 (sm_90, 80 GiB)"),
        ("H100 NVL", "NVIDIA H100 NVL (sm_90, 94 GiB)"),
        ("A100", "NVIDIA A100 (sm_80)"),
        ("A10G", "NVIDIA A10G (sm_86, 24 GiB)"),
        ("L4", "NVIDIA L4 (sm_89, 24 GiB)"),
        ("MI300X", "AMD Instinct MI300X (gfx942, 192 GiB)"),
        ("Hopper", "sm_90"),
        ("g5.12xlarge", "4 x NVIDIA A10G (sm_86, 24 GiB)"),
    ],
)
def test_what_people_call_a_card(name: str, told: str) -> None:
    assert list(card_words(machine_as(name).cards or ())) == [told]


@pytest.mark.parametrize(
    ("name", "told"),
    [("DGX Spak", "did you mean dgx spark"), ("Ampere", "sm_80, sm_86, sm_87"), ("Voodoo2", "name it as")],
)
def test_a_name_that_is_not_known_says_what_would_be_right(name: str, told: str) -> None:
    with pytest.raises(UnknownName, match=told):
        machine_as(name)


@pytest.mark.parametrize("card", [*nicknames()])
def test_every_nickname_is_a_card_or_says_which_targets_it_may_be(card: str) -> None:
    try:
        assert machine_as(card).cards
    except UnknownName as error:
        assert "several targets" in str(error)


def test_every_card_of_the_catalogue_can_be_named_by_its_id_and_name() -> None:
    for gpu in gpus():
        for name in (gpu.id, gpu.name):
            (found,) = machine_as(name).cards or ()
            assert found.target == gpu.target, name


def test_a_slip_of_a_package_is_refused_and_what_no_record_speaks_of_is_told() -> None:
    for slip, near in (
        ("vlm", "vllm"),
        ("sgalng", "sglang"),
        ("tirton", "triton"),
        ("transformer", "transformers"),
    ):
        with pytest.raises(ValueError, match=f"unknown package '{slip}'; did you mean {near}"):
            software_with([f"{slip}==0.22.0"])
    found = software_with(["torchaudio==2.9.0", "numpy==2.1", "flash-attn-3==3.0", "vllm-omni==0.1"])
    assert not_spoken_of(found) == list(found)


def test_packages_are_called_as_in_a_report() -> None:
    found = software_with(["pytorch==2.9.0", "driver==580.1", "cuda==13.0"])
    assert found == {"torch": "2.9.0", "nvidia-driver": "580.1", "cuda-runtime": "13.0"}
    assert not_spoken_of(found) == []


def test_every_package_that_records_speak_of_can_be_given() -> None:
    knowledge = open_knowledge()
    claims = (*knowledge.records, *knowledge.candidates)
    named = {name for claim in claims for case in claim.affects for name in case.software}
    assert not_spoken_of(named) == []

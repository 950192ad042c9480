"""`--as` and `--with`."""

from __future__ import annotations

import pytest

from gpu_gotchas.doctor.asked import machine_as, software_with
from gpu_gotchas.hardware.catalogue import UnknownName


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

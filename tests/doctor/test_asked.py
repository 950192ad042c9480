"""`--as` and `--with`."""

from __future__ import annotations

import pytest

from gpu_gotchas.doctor.asked import asked_facts, machine_as, software_with
from gpu_gotchas.hardware.catalogue import UnknownName


def test_how_many_cards_is_known_only_where_it_is_said() -> None:
    one = machine_as("sm_86")
    assert (len(one.cards or ()), one.count_known) == (1, False)
    eight = machine_as("8xnvidia-h200")
    assert (len(eight.cards or ()), eight.count_known) == (8, True)
    with pytest.raises(UnknownName, match="did you mean"):
        machine_as("4 x nvidia-h2000")


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


def test_options_describe_a_machine_that_may_not_exist() -> None:
    machine = asked_facts("gfx942", ["vllm==0.20.0"]).machine
    assert machine.described
    assert asked_facts(None, []).machine.cards is None

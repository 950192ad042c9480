"""A variable counts where the release reads it, and a flag that the release lacks is said."""

from __future__ import annotations

import pytest

from gpu_gotchas.doctor.variables import read_variables, refused_flags
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.records.settings import settings
from tests.doctor.test_launches import where

BACKEND = {"VLLM_ATTENTION_BACKEND": "TRITON_ATTN"}


@pytest.mark.parametrize(
    ("version", "given", "open_", "noted"),
    [
        ("0.9.2", True, False, False),
        ("0.14.1", True, False, False),
        ("0.14.x", True, False, False),
        ("0.15.0", False, False, True),
        ("0.33.0", False, False, True),
        (None, False, True, False),
        ("0.15.0rc1", False, True, False),
    ],
)
def test_which_releases_read_the_backend_s_variable(
    version: str | None, given: bool, open_: bool, noted: bool
) -> None:
    """0.14.1 has it in vllm/envs.py, and 0.15.0 names it nowhere."""
    found = read_variables(BACKEND, settings(), {"vllm": version} if version else {})
    assert ("attention_backend" in found.given, "attention_backend" in found.open) == (given, open_)
    assert bool(found.notes) is noted


def test_a_variable_that_is_not_read_is_said_with_what_is() -> None:
    found = read_variables(BACKEND, settings(), {"vllm": "0.33.0"})
    assert found.notes == ("vllm 0.33.0 does not read VLLM_ATTENTION_BACKEND; --attention-backend does",)


def test_other_variables_count_in_every_release_and_unset_ones_not_at_all() -> None:
    found = read_variables(
        {"VLLM_BATCH_INVARIANT": " 1 ", "HOME": "/x", "NCCL_P2P_DISABLE": ""}, settings(), {}
    )
    assert (found.given, found.open, found.notes) == ({"VLLM_BATCH_INVARIANT": "1"}, {}, ())


def test_a_flag_that_the_release_lacks_is_said() -> None:
    asked = {"moe_backend": "triton", "dtype": "auto"}
    assert not list(refused_flags(asked, settings(), {}))
    assert not list(refused_flags(asked, settings(), {"vllm": "0.17.0"}))
    (note,) = refused_flags(asked, settings(), {"vllm": "0.16.0"})
    assert note == "vllm 0.16.0 has no --moe-backend, and refuses to start with it"


def test_what_may_not_be_read_decides_nothing() -> None:
    text = "VLLM_ATTENTION_BACKEND=TRITON_ATTN vllm serve m"
    for version, value in ((None, None), ("0.14.1", "TRITON_ATTN"), ("0.33.0", None)):
        (one,) = where(text, Machine(software={"vllm": version} if version else {}))
        assert one.machine.settings.get("attention_backend") == value
        assert ("does not read" in " ".join(one.notes)) is (version == "0.33.0")
        assert "attention_backend" not in one.defaults

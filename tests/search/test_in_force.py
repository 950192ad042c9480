from __future__ import annotations

import pytest

from gpu_gotchas.search.in_force import values_in

SETTINGS = {
    "NCCL_P2P_DISABLE": {
        "flags": [],
        "key": None,
        "within": [],
        "variable": "NCCL_P2P_DISABLE",
        "values": ["true", "false"],
        "open": False,
        "same": {},
    },
    "kv_cache_dtype": {
        "flags": ["--kv-cache-dtype"],
        "key": None,
        "within": [],
        "variable": None,
        "values": ["auto", "fp8", "bfloat16"],
        "open": True,
        "same": {"fp8_e4m3": "fp8"},
    },
}


@pytest.mark.parametrize(
    "line",
    [
        "NCCL_P2P_DISABLE=1 vllm serve m",
        "export NCCL_P2P_DISABLE=1",
        "docker run -e NCCL_P2P_DISABLE=1 image",
        "NCCL_P2P_DISABLE=1 does not help",
        "still hangs with NCCL_P2P_DISABLE=1",
    ],
)
def test_what_is_set_where_it_fails_is_in_force(line: str) -> None:
    assert values_in([line], SETTINGS) == {"NCCL_P2P_DISABLE": ("true",)}


@pytest.mark.parametrize(
    "line",
    [
        "(hangs; works with NCCL_P2P_DISABLE=1)",
        "NCCL_P2P_DISABLE=1 helps",
        "with `NCCL_P2P_DISABLE=1` it works",
        "starts again after NCCL_P2P_DISABLE=1",
        "fixed by NCCL_P2P_DISABLE=1",
        "you can set NCCL_P2P_DISABLE=1",
    ],
)
def test_what_cured_it_or_might_is_not(line: str) -> None:
    assert values_in([line], SETTINGS) == {}


@pytest.mark.parametrize(
    "line", ["--kv_cache_dtype bfloat16", "--kv-cache-dtype=bfloat16", '{"kv_cache_dtype": "bfloat16"}']
)
def test_a_setting_has_several_spellings(line: str) -> None:
    assert values_in([line], SETTINGS) == {"kv_cache_dtype": ("bfloat16",)}


def test_two_values_are_both_kept() -> None:
    told = values_in(["--kv-cache-dtype fp8", "--kv-cache-dtype bfloat16"], SETTINGS)
    assert told == {"kv_cache_dtype": ("fp8", "bfloat16")}


def test_one_that_leaves_it_open_counts_as_none() -> None:
    assert values_in(["--kv-cache-dtype fp8_e4m3"], SETTINGS) == {"kv_cache_dtype": ("fp8",)}
    assert values_in(["--kv-cache-dtype auto"], SETTINGS) == {}
    assert values_in(["--kv-cache-dtype auto", "--kv-cache-dtype=fp8"], SETTINGS) == {}

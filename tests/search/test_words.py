from __future__ import annotations

import pytest

from gpu_gotchas.search.trouble import is_trouble
from gpu_gotchas.search.words import is_common, terms, words


def test_names_come_whole_and_in_parts() -> None:
    assert words("set kv_cache_dtype for torch.float8_e4m3fn") == [
        *("set", "kv_cache_dtype", "kv", "cache", "dtype", "for"),
        *("torch.float8_e4m3fn", "torch", "float8", "e4m3fn"),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("NVRM: Xid (PCI): 63", "NVRM: Xid (PCI): 64"),
        ("CUDA error: 700", "CUDA error: 719"),
        ("[Errno 98]", "[Errno 110]"),
        ("sm_80", "sm_90"),
        ("fp8_e4m3", "fp8_e5m2"),
        ("CUDA 12.8", "CUDA 13.0"),
        ("head_dim 256", "head_dim 192"),
    ],
)
def test_numbers_that_mean_something_stay_apart(one: str, other: str) -> None:
    assert words(one) != words(other)


def test_addresses_are_no_words() -> None:
    assert words("at 0x7f3a5c and 9f8e7d6c5b4a3f2e1d") == ["at", "and"]


def test_a_frame_is_its_package_its_file_and_its_function() -> None:
    found = words('File "/usr/lib/python3/site-packages/invented/ops/mla_decode.py", line 12, in decode_fwd')
    assert found[:2] == ["invented", "mla_decode.py"]
    assert "decode_fwd" in found
    assert "ops" not in found


def test_neighbours_are_terms_too_over_plain_english() -> None:
    assert {"kernel image", "image invalid"} <= set(terms("kernel image is invalid"))
    assert "image kernel" not in terms("kernel image is invalid")


@pytest.mark.parametrize(
    "text", ["sm_120", "sm120", "sm_120a", "compute_120", "Compute Capability: 12.0", "capability (12, 0)"]
)
def test_a_target_is_one_word_however_it_is_written(text: str) -> None:
    assert "sm_120" in words(text)


def test_what_any_log_holds_is_told_from_what_tells() -> None:
    assert [word for word in ("error", "12", "x", "lattice", "fp8e4nv", "sm_120") if not is_common(word)] == [
        "lattice",
        "fp8e4nv",
        "sm_120",
    ]


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("RuntimeError: no", True),
        ("type fp8e4nv not supported in this architecture", True),
        ("Loading weights took 3.2 seconds", False),
        ("finished with 0 errors", False),
        ("Available KV cache memory: 12 GiB", False),
        ("Changing the exchange format of weights", False),
        ("the first all_reduce never returns", True),
        ("hangs with two cards", True),
        ("it hangs", True),
        ("only gibberish comes out", True),
    ],
)
def test_trouble_is_told_from_chatter(text: str, trouble: bool) -> None:
    assert is_trouble(text) is trouble

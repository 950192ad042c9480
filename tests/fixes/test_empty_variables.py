"""Dropping empty variables: nothing with a value goes, nothing empty stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.empty_variables import PREFIXES, drop_empty

NAMES = st.builds(str.__add__, st.sampled_from((*PREFIXES, "CUDA_", "")), st.text("ABC_", min_size=1))
VALUES = st.sampled_from(("", " ", "\t", "0", "fp8", " x "))


@given(st.dictionaries(NAMES, VALUES))
def test_only_blank_values_below_the_prefixes_go(environ: dict[str, str]) -> None:
    before = dict(environ)
    dropped = drop_empty(environ)
    assert {**environ, **{name: before[name] for name in dropped}} == before
    assert all(name.startswith(PREFIXES) and not before[name].strip() for name in dropped)
    assert not any(name.startswith(PREFIXES) and not value.strip() for name, value in environ.items())


def test_other_prefixes_can_be_named() -> None:
    environ = {"SGLANG_X": "", "VLLM_Y": ""}
    assert drop_empty(environ, ["SGLANG_"]) == ["SGLANG_X"]
    assert environ == {"VLLM_Y": ""}

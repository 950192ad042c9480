"""Options are read as PyTorch reads them, and changing one leaves the others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.allocator import (
    VARIABLES,
    in_force,
    is_expandable,
    kept,
    of_torch,
    options,
    refuse_remapping,
    with_option,
)
from gpu_gotchas.fixes.refused import Refused

NAMES = st.sampled_from(("max_split_size_mb", "garbage_collection_threshold", "roundup_power2_divisions"))
VALUES = st.sampled_from(("True", "512", "0.8", "[256:1,512:2,>:8]"))
OPTIONS = st.dictionaries(NAMES, VALUES)


@given(OPTIONS, st.sampled_from(("", " ", "  ")))
def test_options_survive_writing_and_reading(said: dict[str, str], blank: str) -> None:
    conf = f"{blank},{blank}".join(f"{name}{blank}:{blank}{value}" for name, value in said.items())
    assert options(conf) == said


@given(OPTIONS, NAMES, VALUES)
def test_changing_one_option_leaves_the_others(said: dict[str, str], name: str, value: str) -> None:
    conf = ",".join(f"{each}:{other}" for each, other in said.items())
    assert options(with_option(conf, name, value)) == {**said, name: value}


SPELT = ["expandable_segments:True", " expandable_segments : True , max_split_size_mb:64"]


@pytest.mark.parametrize("conf", SPELT)
def test_what_torch_takes_for_expandable_is(conf: str) -> None:
    torch._C._accelerator_setAllocatorSettings(conf)
    assert is_expandable(conf)


@pytest.mark.parametrize("conf", ["expandable_segments:true", "expandable_segments:1"])
def test_what_torch_refuses_is_not(conf: str) -> None:
    with pytest.raises(ValueError, match="Expected 'True' or 'False'"):
        torch._C._accelerator_setAllocatorSettings(conf)
    assert not is_expandable(conf)


@pytest.mark.parametrize("conf", [None, 3, ["a:b"], b"a:b"])
def test_what_is_no_string_is_refused_in_words(conf: Any) -> None:
    for ask in (options, is_expandable, lambda one: with_option(one, "a", "b")):
        with pytest.raises(ValueError, match="options are one string, such as"):
            ask(conf)


def test_the_first_variable_that_is_set_counts() -> None:
    environ = dict(zip(VARIABLES, ("", "a:1", "b:2"), strict=True))
    assert in_force(environ) == "a:1"
    assert in_force({}) == ""


def test_all_options_are_put_back() -> None:
    torch._C._accelerator_setAllocatorSettings("max_split_size_mb:128")

    def write_and_fail() -> None:
        with kept() as before:
            assert before == "max_split_size_mb:128"
            torch._C._accelerator_setAllocatorSettings("expandable_segments:False")
            raise RuntimeError("in between")

    with pytest.raises(RuntimeError, match="in between"):
        write_and_fail()
    assert torch._C._accelerator_getAllocatorSettings() == "max_split_size_mb:128"


@pytest.mark.parametrize("variable", VARIABLES)
def test_a_transfer_is_refused_under_each_variable(variable: str) -> None:
    with pytest.raises(Refused, match="take expandable_segments:True out of"):
        refuse_remapping("NixlConnector", {variable: "max_split_size_mb:64, expandable_segments: True"})
    refuse_remapping("NixlConnector", {variable: "max_split_size_mb:64"})


@pytest.mark.parametrize("newer", [True, False])
def test_each_torch_is_asked_in_the_way_it_has(newer: bool) -> None:
    said = ["max_split_size_mb:64"]
    c = SimpleNamespace(_accelerator_setAllocatorSettings=lambda conf: said.append(conf))
    if newer:
        c._accelerator_getAllocatorSettings = lambda: said[-1]
    memory = SimpleNamespace(
        _snapshot=lambda: {"allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "" if newer else said[-1]}}
    )
    read, write = of_torch(SimpleNamespace(_C=c, cuda=SimpleNamespace(memory=memory)))
    with kept(read, write) as before:
        write("expandable_segments:True")
        assert read() == "expandable_segments:True"
    assert before == read() == "max_split_size_mb:64"

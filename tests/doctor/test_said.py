"""Words, and what they speak for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.doctor.said import (
    Said,
    _phrases,  # the table itself is held against the settings
)
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.settings import settings


@pytest.mark.parametrize(
    ("text", "setting", "wanted", "leans"),
    [
        ("Qwen3-30B-A3B-FP8", "model_experts", ["true"], Truth.YES),
        ("Qwen3-30B-A3B-FP8", "model_quantization", ["fp8"], Truth.YES),
        ("Qwen3-30B-A3B-FP8", "model_quantization", ["awq"], Truth.NO),
        ("deepseek-ai/DeepSeek-R1", "model_attention", ["mla"], Truth.YES),
        ("Qwen/Qwen3.6-35B-A3B", "model_layers", ["hybrid"], Truth.YES),
        ("Qwen/Qwen3-8B", "model_layers", ["hybrid"], Truth.UNKNOWN),
        ("TurboQuant is broken", "kv_cache_dtype", ["turboquant_k8v4"], Truth.YES),
        ("with FP8 KV cache", "kv_cache_dtype", ["fp8"], Truth.YES),
        ("bf16 models", "dtype", ["auto", "bfloat16"], Truth.YES),
        ("bf16 models", "dtype", ["half", "float16"], Truth.NO),
        ("MTP-like draft models", "speculative_method", ["mtp"], Truth.YES),
        ("auto", "moe_backend", ["auto"], Truth.UNKNOWN),
        ("", "dtype", ["float16"], Truth.UNKNOWN),
    ],
)
def test_what_words_speak_for(text: str, setting: str, wanted: list[str], leans: Truth) -> None:
    assert Said(text).speaks_for(setting, wanted) is leans


def test_a_model_that_is_named_hardly_has_what_its_name_does_not_say() -> None:
    for said, leans in ((Said("Qwen/Qwen3-8B"), Truth.UNKNOWN), (Said(model="Qwen/Qwen3-8B"), Truth.NO)):
        assert said.speaks_for("model_attention", ["mla"]) is leans
        assert said.speaks_for("model_quantization", ["fp8"]) is Truth.UNKNOWN


def test_packages_by_all_their_names() -> None:
    assert Said("amd-aiter 0.1").package("aiter")
    assert not Said("aiterate").package("aiter")


def test_the_table_speaks_of_settings_and_of_values_that_they_take() -> None:
    for name, values in _phrases().items():
        for value, phrases in values.items():
            assert settings()[name].allows(value), (name, value)
            assert all(Said(phrase).holds(phrase) for phrase in phrases)


@given(st.text())
def test_any_text_can_be_asked(text: str) -> None:
    said = Said(text)
    assert not said.holds("")
    assert bool(said) == bool(said.words) or len(text) > 0
    for word in said.words:
        assert said.holds(word)


def test_a_value_that_was_set_tells_and_speaks_for_no_other_setting() -> None:
    said = Said(asked="fp8, TRITON_ATTN")
    assert said.tells("FP8")
    assert said.tells("triton")
    assert not said.holds("FP8")
    assert said.speaks_for("model_quantization", ["fp8"]) is Truth.UNKNOWN


def test_a_family_is_told_by_the_name_alone_and_tells_little() -> None:
    assert Said(model="Qwen/Qwen3-8B-GPTQ").family == {"qwen", "qwen3", "8b"}
    assert not Said("Qwen3-8B fails", model="Qwen/Qwen3-8B").family & {"qwen3", "8b"}

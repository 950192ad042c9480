"""Questions in words that a reader has, not in names of ours."""

from __future__ import annotations

import re

import pytest

from gpu_gotchas.doctor.wording import setting_question
from gpu_gotchas.records.settings import settings


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "model_quantization",
            "which kind of quantization the checkpoint has: name the model's folder in the command",
        ),
        ("kv_cache_dtype", "what --kv-cache-dtype is set to: give it in the command"),
        ("TRITON_INTERPRET", "what TRITON_INTERPRET is set to: give it in the command"),
        ("unheard_of", "what unheard_of is"),
    ],
)
def test_questions(name: str, words: str) -> None:
    assert setting_question(name, settings().get(name)) == words


@pytest.mark.parametrize("name", settings())
def test_every_setting_has_a_question_without_a_name_of_ours(name: str) -> None:
    one = settings()[name]
    asked = setting_question(name, one)
    assert re.match(r"(which|what|whether|how|this:) ", asked), asked
    plain = name == one.variable or "_" not in name  # `card` is what a reader calls it too
    assert plain or not re.search(rf"(?<![\w-]){re.escape(name)}(?!\w)", asked), asked
    if one.flag or one.variable or one.package == "model":
        assert "in the command" in asked

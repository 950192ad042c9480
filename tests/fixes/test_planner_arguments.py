"""What a planner is given by mistake is refused with the argument's name, whatever its type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes import turboquant, verify_attention
from gpu_gotchas.fixes.split_kv.forms import KvForm
from gpu_gotchas.fixes.turboquant.layout import Form
from gpu_gotchas.hardware.catalogue import find_target

SIZES = {"heads": 16, "kv_heads": 4, "head": 128, "batch": 1, "context": 1000, "multiprocessors": 84}
RIGHT = {
    "turboquant": (turboquant.plan, {"form": Form.K8V4, **SIZES}),
    "verify_attention": (verify_attention.plan, {"form": KvForm.BF16, "queries": 8, **SIZES}),
}
WRONG = st.one_of(
    st.none(), st.text(max_size=3), st.floats(), st.booleans(), st.just([]), st.integers(max_value=0)
)


@pytest.mark.parametrize("name", RIGHT)
def test_right_arguments_are_taken(name: str) -> None:
    plan, right = RIGHT[name]
    assert plan(find_target("sm_86"), **right).splits >= 1


@pytest.mark.parametrize(
    ("name", "argument"), [(name, argument) for name, (_, right) in RIGHT.items() for argument in right]
)
@given(wrong=WRONG)
def test_a_wrong_argument_is_named(name: str, argument: str, wrong: Any) -> None:
    plan: Callable[..., Any]
    plan, right = RIGHT[name]
    with pytest.raises(ValueError, match=f"^{argument} must be "):
        plan(find_target("sm_86"), **{**right, argument: wrong})


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("target", ["sm_86", None, 86])
def test_a_target_s_name_is_no_target(name: str, target: Any) -> None:
    plan, right = RIGHT[name]
    with pytest.raises(ValueError, match=r"^target must be a Target, not "):
        plan(target, **right)
    for argument, wrong in (("widening", "bits"), ("scratch_budget", "1 GB")):
        with pytest.raises(ValueError, match=f"^{argument} must be "):
            plan(find_target("sm_86"), **right, **{argument: wrong})

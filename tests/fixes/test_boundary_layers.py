"""Boundary layers are attention layers, the outermost, and never more than half of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.boundary_layers import attention_layers, boundary_layers

KINDS = st.lists(st.sampled_from(("full_attention", "linear_attention")), min_size=1)


@given(KINDS, st.integers(0, 5))
def test_the_outermost_attention_layers_are_spared(kinds: list[str], ends: int) -> None:
    layers = attention_layers(kinds)
    if not layers:
        with pytest.raises(ValueError, match="no layer keeps keys and values"):
            boundary_layers(kinds, ends)
        return
    spared = [int(index) for index in boundary_layers(kinds, ends)]
    assert spared == sorted(set(spared))
    assert set(spared) <= set(layers)
    assert len(spared) <= max(1, len(layers) // 2 * 2)
    inner = [index for index in layers if index not in spared]
    assert len(inner) >= len(layers) - 2 * ends
    assert all(layers.index(index) < ends or layers.index(index) >= len(layers) - ends for index in spared)


def test_a_uniform_model_is_spared_at_its_own_ends() -> None:
    assert boundary_layers(["full_attention"] * 8) == ["0", "1", "6", "7"]
    assert boundary_layers((["linear_attention"] * 3 + ["full_attention"]) * 4) == ["3", "7", "11", "15"]

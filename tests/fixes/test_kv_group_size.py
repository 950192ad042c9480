"""The chosen size wastes no more than any other that is allowed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.kv_group_size import deal, group_size, groups, padding

LAYERS = st.lists(st.integers(1, 80), min_size=1, max_size=4)


@given(LAYERS, st.integers(4, 40))
def test_no_allowed_size_wastes_less(layers: list[int], most: int) -> None:
    chosen = group_size(layers, most)
    assert groups(layers, chosen) <= most
    assert all(
        padding(layers, chosen) <= padding(layers, size)
        for size in range(1, max(layers) + 1)
        if groups(layers, size) <= most
    )


@given(LAYERS, st.integers(1, 80))
def test_padding_is_what_no_layer_fills(layers: list[int], size: int) -> None:
    filled = sum(-count % size for count in layers)
    assert padding(layers, size) == filled


@pytest.mark.parametrize(
    ("layers", "size"), [((20, 30), 10), ((10, 20), 10), ((16, 48, 5), 8), ((12, 13), 13), ((7,), 7)]
)
def test_known_models(layers: tuple[int, ...], size: int) -> None:
    assert group_size(layers) == size


@pytest.mark.parametrize(
    ("layers", "most", "named"),
    [
        ((), 16, "layers"),
        ((3, 0), 16, "layers of a kind"),
        ((3, -2), 16, "layers of a kind"),
        ((3.5,), 16, "layers of a kind"),
        ((float("nan"),), 16, "layers of a kind"),
        ((10**9,), 16, "layers of a kind"),
        ((3,), 0, "most_groups"),
        ((3,), True, "most_groups"),
    ],
)
def test_counts_that_make_no_sense_are_named(layers: tuple[int, ...], most: int, named: str) -> None:
    with pytest.raises(ValueError, match=f"^{named} must"):
        group_size(layers, most)


def test_groups_of_no_layers_are_refused() -> None:
    with pytest.raises(ValueError, match="^size must be a whole number of at least 1, not 0"):
        groups((3,), 0)


def test_too_many_kinds_are_refused() -> None:
    with pytest.raises(ValueError, match="3 kinds of layers do not fit 2 groups"):
        group_size((1, 1, 1), 2)


@given(st.integers(1, 80), st.integers(1, 80))
def test_dealing_leaves_no_layer_out_and_no_group_too_large(count: int, size: int) -> None:
    dealt = deal([str(n) for n in range(count)], size)
    assert sorted(int(name) for group in dealt for name in group) == list(range(count))
    assert len(dealt) == groups([count], size)
    assert all(1 <= len(group) <= size for group in dealt)

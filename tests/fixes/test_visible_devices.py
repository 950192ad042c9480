"""A list of cards as CUDA reads it, in numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.visible_devices import as_indices

UUIDS = [
    "GPU-52a3b9d1-6f6c-4a7e-8705-d3dfecaf9bda",
    "GPU-52a3b9d2-0000-4a7e-8705-d3dfecaf9bda",
    "GPU-c0ffee00-1111-4a7e-8705-d3dfecaf9bda",
]


@given(st.lists(st.integers(0, 2), unique=True, min_size=1), st.data())
def test_numbers_and_uuids_of_the_same_cards_come_to_the_same(cards: list[int], data: st.DataObject) -> None:
    entries = [data.draw(st.sampled_from([str(card), UUIDS[card]])) for card in cards]
    assert as_indices(",".join(entries), UUIDS) == ",".join(map(str, cards))


@pytest.mark.parametrize(
    ("visible", "numbers"),
    [
        ("GPU-c0", "2"),
        (" 1 , GPU-c0ffee", "1,2"),
        ("", ""),
        ("GPU-nobody", ""),
        ("0,7,1", "0"),
        ("2,-1,0", "2"),
    ],
)
def test_it_is_read_as_cuda_reads_it(visible: str, numbers: str) -> None:
    assert as_indices(visible, UUIDS) == numbers


@pytest.mark.parametrize(
    ("visible", "because"),
    [("GPU-52a3", "names 2 cards"), ("MIG-377e1a60-0000-4a7e-8705-d3dfecaf9bda", "slice of a card")],
)
def test_what_no_number_stands_for_is_refused(visible: str, because: str) -> None:
    with pytest.raises(ValueError, match=because):
        as_indices(visible, UUIDS)

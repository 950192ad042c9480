"""Offsets in a paged cache stay right beyond 2**31, which the interpreter shows without such a cache."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
torch = pytest.importorskip("torch")

BODY = Path(__file__).parent / "bodies" / "page_offsets.py"


def test_offsets_are_those_of_whole_numbers() -> None:
    from tests.fixes.triton_children import interpreted

    for token, found, wanted in interpreted(BODY):
        assert found == wanted, token


def test_a_wide_table_holds_the_same_pages() -> None:
    from gpu_gotchas.fixes.page_offsets import wide_table

    pages = torch.tensor([[0, 7], [2**31 - 1, 3]], dtype=torch.int32)
    assert wide_table(pages).dtype == torch.int64
    assert wide_table(pages).tolist() == pages.tolist()

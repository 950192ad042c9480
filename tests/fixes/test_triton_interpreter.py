"""The interpreter that the other tests rely on: right with the patches, and wrong without them."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
pytest.importorskip("torch")

from tests.fixes.triton_children import interpreted

BODY = Path(__file__).parent / "bodies" / "casts.py"


def test_casts_dots_and_arithmetic_are_what_torch_says() -> None:
    assert set(interpreted(BODY).values()) == {0}


def test_the_patches_are_still_needed() -> None:
    genuine = interpreted(BODY, "--genuine")
    assert genuine["bf16 arithmetic"] > 0
    assert genuine["bf16 dot"] > 0

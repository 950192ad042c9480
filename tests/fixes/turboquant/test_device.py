"""The kernels on the card at hand. Skipped where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton", reason="Triton runs on Linux only")

import torch

from tests.fixes.on_device import results


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no card that torch can use")
def test_every_form_gives_what_float64_gives() -> None:
    assert len(results(Path(__file__).parent / "body_device.py")) > 30

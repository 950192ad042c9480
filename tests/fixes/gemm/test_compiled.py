"""Every planned kernel compiles for every target, within its shared memory, with its matrix instruction."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
pytest.importorskip("torch")

from tests.fixes.triton_children import dry

BODY = Path(__file__).parents[1] / "bodies" / "gemm_compiled.py"
MATRIX = {
    "sm_75": "none",  # Triton has no matrix instruction for Turing: plain products widen first
    "sm_80": "mma.sync",
    "sm_86": "mma.sync",
    "sm_89": "mma.sync",
    "sm_90": "wgmma",
    "sm_100": "tcgen05.mma",
    "sm_120": "mma.sync",
    "sm_121": "mma.sync",
    "gfx942": "mfma",
}
FEW = 48
"""Instructions that may touch local memory, of one or two thousand: the compilers' own choice."""


@pytest.mark.parametrize("target", MATRIX)
def test_what_is_planned_compiles_and_fits(target: str, tmp_path: Path, compiled_once: Path) -> None:
    activations = ["fp16"] if target == "sm_75" else ["bf16", "fp16"]
    for made in dry(target, BODY, tmp_path, target, str(compiled_once), *activations):
        assert made["shared"] <= made["limit"], made
        assert made["registers"] is None or made["registers"] <= (512 if target == "gfx942" else 255), made
        assert not made["fp8"], made  # no instruction that only newer cards have
        if made["kernel"] == "dequantise":
            assert made["matrix"] == [], made
        elif target != "sm_75":
            assert made["matrix"] == [MATRIX[target]], made
        if target != "sm_75" or made["kernel"] == "dequantise":
            assert (made["spills"] or 0) <= FEW, made

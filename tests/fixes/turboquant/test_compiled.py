"""Both kernels compile for every target, within its shared memory; FP8 is named on none below 8.9."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
pytest.importorskip("torch")

from tests.fixes.triton_children import dry

BODY = Path(__file__).parents[1] / "bodies" / "turboquant_compiled.py"
MATRIX = {
    "sm_75": [],  # Triton has no matrix instruction for Turing: right, not fast
    "sm_80": ["mma.sync"],
    "sm_86": ["mma.sync"],
    "sm_89": ["mma.sync"],
    "sm_90": ["mma.sync"],
    "sm_100": ["mma.sync"],
    "sm_120": ["mma.sync"],
    "sm_121": ["mma.sync"],
    "gfx942": ["mfma"],
}
SPILLING = {("attend", "3bit_nc", 128)}
"""A block of 128 tokens with both numbers in 3 bits takes more registers than there are: right, not fast."""
FEW = 48
"""Instructions that may touch local memory, of one or two thousand: the compilers' own choice."""


@pytest.mark.parametrize("target", MATRIX)
def test_what_is_planned_compiles_and_fits(target: str, tmp_path: Path, compiled_once: Path) -> None:
    dtype = "float16" if target == "sm_75" else "bfloat16"
    for made in dry(target, BODY, tmp_path, target, str(compiled_once), dtype):
        assert made["shared"] <= made["limit"], made
        if made["kernel"] == "attend":
            assert made["matrix"] == MATRIX[target], made
        if target != "sm_75" and (made["kernel"], made["form"], made["head"]) not in SPILLING:
            assert (made["spills"] or 0) <= FEW, made

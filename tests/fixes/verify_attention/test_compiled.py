"""Every planned kernel compiles for every target, within its shared memory, with its matrix instruction."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
pytest.importorskip("torch")

from tests.fixes.triton_children import dry

BODY = Path(__file__).parents[1] / "bodies" / "verify_compiled.py"
MATRIX = {
    "sm_75": set(),  # Triton has no matrix instruction for Turing: right, not fast
    "sm_80": {"mma.sync"},
    "sm_86": {"mma.sync"},
    "sm_89": {"mma.sync"},
    "sm_90": {"wgmma"},
    "sm_100": {"mma.sync", "tcgen05.mma"},
    "sm_120": {"mma.sync"},
    "sm_121": {"mma.sync"},
    "gfx942": {"mfma"},
}
FEW = 48
"""Instructions that may touch local memory, of one or two thousand: the compilers' own choice."""


@pytest.mark.parametrize("target", MATRIX)
def test_what_is_planned_compiles_and_fits(target: str, tmp_path: Path, compiled_once: Path) -> None:
    forms = ["fp16", "fp8"] if target == "sm_75" else ["bf16", "fp16", "fp8"]
    for made in dry(target, BODY, tmp_path, target, str(compiled_once), *forms):
        assert made["shared"] <= made["limit"], made
        assert set(made["matrix"]) <= MATRIX[target], made
        assert bool(made["matrix"]) == bool(MATRIX[target]), made
        if target != "sm_75":
            assert (made["spills"] or 0) <= FEW, made

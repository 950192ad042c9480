"""Products in the dtype of their right operand: right numbers, compiled for every dtype that is served."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from tests.fixes.triton_children import dry, interpreted  # noqa: E402

BODY = Path(__file__).parent / "bodies" / "attention.py"


# The interpreter computes bfloat16 on its bits, so that dtype is checked by compilation and on a card only.
@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 2e-3), ("float32", 1e-6)])
def test_attention_equals_torch(dtype: str, tolerance: float) -> None:
    (ran,) = interpreted(BODY, dtype)
    out, q, k, v = map(torch.tensor, ran)
    expected = (q @ k.T * 0.25).softmax(-1) @ v + 1
    torch.testing.assert_close(out, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("target", ["sm_75", "sm_86", "sm_90", "sm_120", "gfx942"])
def test_compiles_for(target: str, tmp_path: Path) -> None:
    pytest.importorskip("gpu_gotchas.repro.dry")
    assert len(dry(target, BODY, tmp_path, "float16", "bfloat16", "float32")) == 3

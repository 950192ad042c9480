"""A staged cast compiles where a straight one does not, and stages nothing that needs no staging."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from gpu_gotchas.fixes.staged_cast import stage  # noqa: E402
from tests.fixes.triton_children import dry  # noqa: E402

BODY = Path(__file__).parent / "bodies" / "cast.py"


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_86"])
def test_only_a_straight_cast_of_bfloat16_does_not_compile(target: str, tmp_path: Path) -> None:
    pytest.importorskip("gpu_gotchas.repro.dry")
    expected = {
        "straight:bfloat16": "AssertionError",
        "straight:float16": None,
        "staged:bfloat16": None,
        "staged:float16": None,
        "staged:float32": None,
        "staged-tensor:bfloat16": None,
    }
    assert dry(target, BODY, tmp_path, *expected) == expected


def test_staging_changes_no_value() -> None:
    every = torch.arange(65536, dtype=torch.int32).to(torch.int16).view(torch.bfloat16)
    staged = stage(every)
    assert staged.dtype == torch.float32
    numbers = ~every.isnan()
    assert torch.equal(staged.to(torch.bfloat16)[numbers], every[numbers])


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_other_dtypes_are_handed_on_as_they_are(dtype: torch.dtype) -> None:
    given = torch.ones(3, dtype=dtype)
    assert stage(given) is given

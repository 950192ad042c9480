"""What a product refuses, before anything is launched."""

from __future__ import annotations

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
pytest.importorskip("torch")

import torch

from gpu_gotchas.fixes.block_fp8_gemm import Kernel, Plan, grouped_matmul, matmul
from gpu_gotchas.fixes.block_fp8_gemm.launch import Workspace

PLAN = Plan(Kernel.PORTABLE, 4, 256, 384, 0, 64, 16, 4, 3, programs=3)
GROUPED = Plan(Kernel.PORTABLE, 4, 256, 384, 2, 64, 16, 4, 3, programs=3)


def call(**changed: object) -> None:
    arguments = {
        "x": torch.zeros(4, 384, dtype=torch.bfloat16),
        "weight": torch.zeros(256, 384, dtype=torch.uint8),
        "scale": torch.zeros(2, 3),
        "plan": PLAN,
    }
    matmul(**(arguments | changed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"x": torch.zeros(4, 384)}, "x must be bfloat16 or float16"),
        ({"x": torch.zeros(384, 4, dtype=torch.float16).T}, "its rows contiguous"),
        ({"x": torch.zeros(4, 256, dtype=torch.float16)}, "the 256 columns of x"),
        ({"weight": torch.zeros(256, 384, dtype=torch.int8)}, "weight must be float8_e4m3fn or uint8"),
        ({"weight": torch.zeros(384, 256, dtype=torch.uint8).T}, "weight must be contiguous"),
        ({"weight": torch.zeros(2, 256, 384, dtype=torch.uint8)}, "weight must be"),
        ({"scale": torch.zeros(3, 2)}, r"scale must be contiguous float32 of shape \(2, 3\)"),
        ({"scale": torch.zeros(2, 3, dtype=torch.bfloat16)}, "scale must be contiguous float32"),
        ({"out": torch.zeros(4, 256)}, "out must be"),
        ({"plan": GROUPED}, "the plan is for other sizes"),
        ({"x": torch.zeros(5, 384, dtype=torch.bfloat16)}, "the plan is for other sizes"),
        (
            {"workspace": Workspace(*(torch.zeros(0) for _ in range(4)))},
            "the workspace is too small",
        ),
    ],
)
def test_arguments_that_do_not_fit_together_are_named(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(**changed)


def test_no_token_is_no_launch() -> None:
    call(x=torch.zeros(0, 384, dtype=torch.bfloat16))


@pytest.mark.parametrize("ends", [torch.zeros(2, dtype=torch.int64), torch.zeros(3, dtype=torch.int32)])
def test_groups_end_once_for_each_expert(ends: torch.Tensor) -> None:
    with pytest.raises(ValueError, match="ends must be contiguous int32"):
        grouped_matmul(
            torch.zeros(4, 384, dtype=torch.bfloat16), torch.zeros(2, 256, 384, dtype=torch.uint8),
            torch.zeros(2, 2, 3), ends, plan=GROUPED,
        )  # fmt: skip


def test_one_workspace_holds_the_largest_of_several_plans() -> None:
    wide = Plan(Kernel.DEQUANTISE, 4, 256, 384, 0, 64, 16, 4, 1, programs=0)
    workspace = Workspace.allocate([PLAN, GROUPED, wide], "cpu")
    assert all(workspace.holds(each) for each in (PLAN, GROUPED, wide))
    assert not Workspace.allocate([PLAN], "cpu").holds(wide)
    assert not workspace.arrivals.any()

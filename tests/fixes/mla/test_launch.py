"""What `decode` refuses, before anything is launched."""

from __future__ import annotations

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
pytest.importorskip("torch")

import torch

from gpu_gotchas.fixes.mla_decode import Kernel, KvForm, Plan, Widening, decode
from gpu_gotchas.fixes.mla_decode.launch import Scratch

BF16 = Plan(Kernel.PORTABLE, KvForm.BF16, Widening.NONE, 16, 32, 4, 1, 1, splits=2)


def call(**changed: object) -> None:
    arguments = {
        "query": torch.zeros(2, 4, 576, dtype=torch.bfloat16),
        "cache": torch.zeros(3, 16, 576, dtype=torch.bfloat16),
        "table": torch.zeros(2, 4, dtype=torch.int32),
        "contexts": torch.ones(2, dtype=torch.int32),
        "scale": 1.0,
        "plan": BF16,
    }
    decode(**(arguments | changed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query": torch.zeros(2, 4, 576)}, "query must be bfloat16 or float16"),
        ({"cache": torch.zeros(3, 16, 512, dtype=torch.bfloat16)}, "cache must be"),
        ({"cache": torch.zeros(3, 16, 576, dtype=torch.int8)}, "cache must be"),
        ({"cache": torch.zeros(3, 16, 576, dtype=torch.float16)}, "needs a query of torch.float16"),
        ({"latent": 500}, "latent must be 256 or 512"),
        ({"query": torch.zeros(2, 576, 4, dtype=torch.bfloat16).transpose(1, 2)}, "contiguous"),
        ({"table": torch.zeros(2, 4, dtype=torch.int64)}, "must be int32"),
        ({"contexts": torch.ones(1, dtype=torch.int32)}, "a row for each of 2"),
        ({"cache": torch.zeros(3, 16, 576, dtype=torch.uint8)}, "the plan is for a cache of bf16"),
        ({"out": torch.zeros(2, 4, 512)}, "out must be contiguous"),
        ({"lse": torch.zeros(2, 5)}, "lse must be contiguous"),
        ({"scratch": Scratch.allocate(BF16, batch=1, heads=4, device="cpu")}, "scratch is too small"),
    ],
)
def test_arguments_that_do_not_fit_together_are_named(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(**changed)


def test_no_request_is_no_launch() -> None:
    call(query=torch.zeros(0, 4, 576, dtype=torch.bfloat16))

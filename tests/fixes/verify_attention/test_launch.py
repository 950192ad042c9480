"""What `verify` refuses, before anything is launched."""

from __future__ import annotations

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
pytest.importorskip("torch")

import torch

from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.fixes.split_kv.scratch import Scratch
from gpu_gotchas.fixes.verify_attention import KvForm, Plan, Widening, verify

PLAN = Plan(KvForm.BF16, Widening.NONE, 4, 8, 2, 64, 16, 16, 4, 1, 1, splits=2)
CACHE = torch.zeros(3, 16, 2, 64, dtype=torch.bfloat16)


def call(**changed: object) -> None:
    arguments = {
        "query": torch.zeros(2, 4, 8, 64, dtype=torch.bfloat16),
        "keys": CACHE,
        "values": CACHE,
        "table": torch.zeros(2, 4, dtype=torch.int32),
        "contexts": torch.ones(2, dtype=torch.int32),
        "scale": 1.0,
        "scratch": Scratch.allocate(PLAN, requests=2, device="cpu"),
    }
    verify(**(arguments | changed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query": torch.zeros(2, 4, 8, 64)}, "query must be bfloat16 or float16"),
        ({"query": torch.zeros(2, 5, 8, 64, dtype=torch.bfloat16)}, "as planned"),
        ({"query": torch.zeros(2, 4, 8, 64, dtype=torch.float16)}, "needs a query of torch.bfloat16"),
        ({"keys": CACHE.float()}, "keys must be"),
        ({"values": CACHE[..., :32]}, "values must be"),
        ({"values": CACHE.half()}, "one dtype"),
        ({"keys": CACHE.byte(), "values": CACHE.byte()}, "the plan is for a cache of bf16"),
        ({"table": torch.zeros(2, 4, dtype=torch.int64)}, "must be int32"),
        ({"contexts": torch.ones(1, dtype=torch.int32)}, "a row for each of 2"),
        ({"masks": torch.zeros(2, 4, dtype=torch.int32)}, "masks must be"),
        ({"lengths": torch.zeros(1, dtype=torch.int32)}, "lengths must be"),
        ({"scale": 0.0}, "above zero"),
        ({"out": torch.zeros(2, 4, 8, 64)}, "out must be contiguous"),
        ({"lse": torch.zeros(2, 4)}, "lse must be contiguous"),
    ],
)
def test_arguments_that_do_not_fit_together_are_named(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(**changed)


def test_more_requests_than_scratch_was_planned_for_are_refused_and_nothing_grows() -> None:
    scratch = Scratch.allocate(PLAN, requests=1, device="cpu")
    with pytest.raises(Refused, match="before the first graph is captured"):
        call(scratch=scratch)


def test_no_request_is_no_launch() -> None:
    call(query=torch.zeros(0, 4, 8, 64, dtype=torch.bfloat16))

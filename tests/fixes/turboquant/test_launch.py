"""What `store` and `decode` refuse, before anything is launched."""

from __future__ import annotations

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
pytest.importorskip("torch")

import torch

from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.fixes.split_kv.forms import Widening
from gpu_gotchas.fixes.split_kv.scratch import Scratch
from gpu_gotchas.fixes.turboquant import Codebook, Form, Plan, decode, store

PLAN = Plan(Form.K8V4, Widening.BITS, 8, 2, 64, 16, 4, 1, 1, splits=2)
CACHE = torch.zeros(3, 16, 2, 100, dtype=torch.uint8)


def ask(plan: Plan = PLAN, **changed: object) -> None:
    arguments = {
        "query": torch.zeros(2, 8, 64, dtype=torch.bfloat16),
        "cache": CACHE,
        "table": torch.zeros(2, 4, dtype=torch.int32),
        "contexts": torch.ones(2, dtype=torch.int32),
        "scale": 1.0,
        "scratch": Scratch.allocate(plan, requests=2, device="cpu"),
    }
    decode(**(arguments | changed))


def keep(**changed: object) -> None:
    arguments = {
        "keys": torch.zeros(5, 2, 64),
        "values": torch.zeros(5, 2, 64),
        "cache": CACHE,
        "slots": torch.zeros(5, dtype=torch.int32),
        "form": Form.K8V4,
        "instruction": False,
    }
    store(**(arguments | changed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query": torch.zeros(2, 8, 64)}, "query must be bfloat16 or float16"),
        ({"cache": CACHE[..., :98]}, "a k8v4 cache must be uint8"),
        ({"cache": CACHE.transpose(1, 2).contiguous().transpose(1, 2)}, "side by side"),
        ({"table": torch.zeros(2, 4, dtype=torch.int64)}, "must be int32"),
        ({"contexts": torch.ones(1, dtype=torch.int32)}, "a row for each of 2"),
        ({"out": torch.zeros(2, 8, 64)}, "out must be contiguous"),
    ],
)
def test_a_decode_that_does_not_fit_together_is_named(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask(**changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"keys": torch.zeros(5, 2, 64, dtype=torch.int32)}, "must be floats"),
        ({"values": torch.zeros(5, 2, 32)}, "one shape"),
        ({"slots": torch.zeros(4, dtype=torch.int32)}, "slots must be"),
        ({"form": Form.NC4}, "a 4bit_nc cache must be uint8"),
        (
            {"cache": torch.zeros(3, 16, 2, 70, dtype=torch.uint8), "form": Form.NC4},
            "4-bit keys need the codebook",
        ),
        (
            {
                "cache": torch.zeros(3, 16, 2, 62, dtype=torch.uint8),
                "form": Form.K3V4,
                "codebook": Codebook.of(64, "cpu"),
            },
            "3-bit keys need a codebook of 8 centroids, not of 16",
        ),
    ],
)
def test_a_store_that_does_not_fit_together_is_named(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        keep(**changed)


def test_more_requests_than_scratch_was_planned_for_are_refused() -> None:
    with pytest.raises(Refused, match="before the first graph is captured"):
        ask(scratch=Scratch.allocate(PLAN, requests=1, device="cpu"))


def test_nothing_is_no_launch() -> None:
    ask(query=torch.zeros(0, 8, 64, dtype=torch.bfloat16))
    keep(keys=torch.zeros(0, 2, 64), values=torch.zeros(0, 2, 64), slots=torch.zeros(0, dtype=torch.int32))

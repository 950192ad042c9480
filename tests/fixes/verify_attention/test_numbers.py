"""The kernel's numbers, in Triton's interpreter, against float64; every element poisoned before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
pytest.importorskip("torch")

from tests.fixes.triton_children import interpreted

BODY = Path(__file__).parents[1] / "bodies" / "verify_interpreted.py"
KINDS = ("bf16", "fp16", "fp8", "bytes")

CASES: list[dict[str, Any]] = [
    *({"kv": kv, "mask": mask} for kv in KINDS for mask in ("causal", "tree")),
    {"kv": "fp8", "widening": "instruction", "splits": 2},
    {"kv": "bf16", "mask": "random", "splits": 3},
    {"kv": "bytes", "mask": "none"},  # no query sees a draft token
    {"kv": "bf16", "mask": "none", "contexts": [4, 4], "splits": 2},  # nothing before the draft: all masked
    {"kv": "bytes", "mask": "none", "contexts": [4, 0]},
    {"kv": "bf16", "contexts": [0, 2, 40], "splits": 3},  # a context shorter than the draft
    {"kv": "fp16", "contexts": [0, 0]},
    {"kv": "bf16", "lengths": [1, 4, 0], "contexts": [20, 33, 9], "splits": 2},
    {"kv": "bytes", "lengths": [3, 2], "contexts": [3, 50], "mask": "tree"},
    {"kv": "bf16", "queries": 1, "heads": 16, "kv_heads": 1},
    {
        "kv": "bf16",
        "queries": 64,
        "heads": 2,
        "kv_heads": 2,
        "contexts": [64, 97],
        "mask": "tree",
        "splits": 2,
    },
    {"kv": "fp16", "queries": 64, "heads": 1, "kv_heads": 1, "contexts": [70], "mask": "random"},
    {"kv": "fp16", "queries": 7, "heads": 5, "kv_heads": 1, "row_block": 32},  # a group of no power of two
    {"kv": "bytes", "queries": 9, "heads": 14, "kv_heads": 2, "splits": 2},
    {"kv": "bf16", "head": 128, "contexts": [30]},
    {"kv": "bytes", "head": 256, "contexts": [30], "splits": 2},
    *({"kv": "bytes", "page": page, "splits": 2} for page in (1, 3, 32, 128)),
    {"kv": "bytes", "scales": [0.37, 2.5], "splits": 2},
    {"kv": "bytes", "scales": [0.37, 2.5], "tensors": True},
    {"kv": "bf16", "scales": [2.5, 0.1], "tensors": True, "splits": 2},
    {"kv": "bytes", "gap": True},
    {"kv": "bf16", "gap": True, "splits": 2},
    {"kv": "bytes", "size": 1e-30, "mask": "random"},  # logits of zero, not of NaN
    {"kv": "bytes", "half": True, "size": 900.0, "scale": 1e-4},  # far beyond what float16 may sum
]


def test_every_form_gives_what_float64_gives() -> None:
    specs = [{"contexts": [37, 5, 16], "seed": index, **case} for index, case in enumerate(CASES)]
    for spec, found in zip(specs, interpreted(BODY, json.dumps(specs)), strict=True):
        assert found["error"] < (1e-3 if spec["kv"] == "fp16" else 4e-3), (spec, found)
        assert found["lse"] < 2e-3, (spec, found)

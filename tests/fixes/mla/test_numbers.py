"""The portable kernel's numbers, in Triton's interpreter, against float64; every element poisoned before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
pytest.importorskip("torch")

from tests.fixes.triton_children import interpreted

BODY = Path(__file__).parents[1] / "bodies" / "mla_interpreted.py"
BASE = {"heads": 5, "latent": [256, 32], "page": 16, "contexts": [37, 1, 16], "splits": 1, "seed": 1}

CASES: list[dict[str, Any]] = [
    *({"kv": kv} for kv in ("bf16", "fp16", "fp8", "bytes")),
    {"kv": "fp8", "widening": "instruction"},
    {"kv": "bf16", "latent": [512, 64], "contexts": [20, 3]},
    {"kv": "bytes", "latent": [512, 64], "contexts": [20, 3], "splits": 2},
    {"kv": "bytes", "query": "f16", "size": 900.0, "scale": 1e-4},  # far beyond what float16 may sum
    *({"kv": "bytes", "page": page, "splits": 3} for page in (1, 3, 32, 128)),
    {"kv": "bf16", "contexts": [0, 5, 40], "splits": 4, "page": 4},  # no token at all; empty splits
    {"kv": "bytes", "contexts": [0, 0], "splits": 1},
    {"kv": "bytes", "contexts": [0, 0], "splits": 3},
    {"kv": "fp16", "cap": 3.0, "scale": 0.4, "splits": 2},
    {"kv": "bytes", "cap": 3.0, "scale": 0.4},
    {"kv": "bytes", "kv_scale": 0.37, "splits": 2},
    {"kv": "bytes", "kv_scale": 0.37, "scale_tensor": True},
    {"kv": "bf16", "kv_scale": 2.5, "scale_tensor": True, "splits": 2},
    {"kv": "bytes", "gap": True, "splits": 2},
    {"kv": "fp8", "heads": 16, "contexts": [33], "scale": 2.0},  # one token takes nearly everything
    {"kv": "fp8", "heads": 35, "contexts": [17]},
    {"kv": "bytes", "size": 1e-30},  # logits of zero, not of NaN
]


def test_every_form_gives_what_float64_gives() -> None:
    specs = [{**BASE, **case, "seed": index} for index, case in enumerate(CASES)]
    for spec, (error, lse, unwritten) in zip(
        specs, interpreted(BODY, __import__("json").dumps(specs)), strict=True
    ):
        assert unwritten == 0, spec
        if any(spec["contexts"]):
            assert error < (4e-3 if spec["kv"] == "bf16" or spec.get("query") != "f16" else 1e-3), (
                spec,
                error,
            )
            assert lse < 2e-3, (spec, lse)

"""The portable kernels' numbers, in Triton's interpreter, against float64; every element poisoned before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
pytest.importorskip("torch")

from tests.fixes.triton_children import interpreted

BODY = Path(__file__).parents[1] / "bodies" / "gemm_interpreted.py"
BASE = {"sizes": [5, 96, 512], "dtype": "bf16"}

CASES: list[dict[str, Any]] = [
    {},
    {"dtype": "fp16"},
    {"programs": 1},
    {"programs": 7},  # tiles in three parts
    {"programs": 100},  # more than there is work for
    {"programs": 2, "sizes": [5, 64, 1536]},  # a program with one whole tile
    {"sizes": [1, 96, 128], "programs": 3},
    {"sizes": [33, 96, 256], "programs": 5},  # three blocks of tokens, the last of one
    {"sizes": [3, 70, 256]},  # rows that fill no block
    {"sizes": [3, 200, 256], "rows": 64},  # and no block of scales
    {"sizes": [3, 96, 272], "dtype": "fp16"},  # columns that fill none
    {"sizes": [3, 40, 80]},
    {"sizes": [4, 300, 256], "rows": 128},
    {"gap": True},
    {"scale": 1e-30},  # weights far below what 16 bits hold
    {"scale": 1e30, "dtype": "bf16"},
    {"kernel": "dequantise"},
    {"kernel": "dequantise", "sizes": [7, 70, 272], "dtype": "fp16"},
    {"ends": [2, 2, 5]},  # an expert without tokens
    {"ends": [0, 5, 5, 5], "dtype": "fp16", "programs": 5},
    {"ends": [3, 20, 37, 40], "sizes": [40, 96, 384], "programs": 9},
    {"ends": [1, 1, 3], "sizes": [6, 96, 256]},  # tokens of nobody at the end
    {"ends": [0, 0, 0]},
    {"ends": [19], "sizes": [19, 64, 256]},
]


def test_every_form_gives_what_float64_gives() -> None:
    specs = [{**BASE, **case, "seed": index} for index, case in enumerate(CASES)]
    for spec, found in zip(specs, interpreted(BODY, json.dumps(specs)), strict=True):
        told = (spec, found)
        assert found["unwritten"] == 0, told
        assert found["beyond"] == 0, told
        assert found["arrivals"] == 0, told
        # Half a unit of the last place, once for the result; dequantising rounds each weight too.
        assert found["error"] < (3e-3 if spec["dtype"] == "bf16" else 4e-4), told
        assert found["worst"] < 0.05, told

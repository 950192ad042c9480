"""The kernels' bytes and numbers, in Triton's interpreter, against float64; every element poisoned before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")
pytest.importorskip("torch")

from tests.fixes.triton_children import interpreted

BODY = Path(__file__).parents[1] / "bodies" / "turboquant_interpreted.py"
FORMS = ("k8v4", "4bit_nc")
THREE = ("k3v4_nc", "3bit_nc")

CASES: list[dict[str, Any]] = [
    *({"form": form, "splits": splits} for form in FORMS for splits in (1, 3)),
    *({"form": form, "kept": "fp32", "half": True} for form in FORMS),
    {"form": "k8v4", "kept": "fp16", "instruction": True, "widening": "instruction"},
    *({"form": form, "contexts": [0, 5, 40], "splits": 4, "page": 4} for form in (*FORMS, *THREE)),
    {"form": "k3v4_nc", "head": 128, "contexts": [20]},
    {"form": "3bit_nc", "gap": True, "wide": True, "page": 3, "kept": "fp32"},
    *({"form": form, "contexts": [0, 0], "splits": 2} for form in FORMS),
    *({"form": "4bit_nc", "page": page, "splits": 2} for page in (1, 3, 128)),
    *({"form": form, "head": 128, "contexts": [20]} for form in FORMS),
    {"form": "k8v4", "head": 256, "contexts": [20], "splits": 2},
    {"form": "k8v4", "heads": 20, "kv_heads": 1},  # a group beyond 16
    {"form": "4bit_nc", "heads": 5, "kv_heads": 5, "splits": 2},  # no group at all
    {"form": "k8v4", "larger": 300.0, "asked": 1e-3},  # keys far beyond 448
    {"form": "k8v4", "larger": 1e-4, "splits": 2},  # scales that float16 holds as small numbers
    *({"form": form, "gap": True, "wide": True} for form in FORMS),
]


def test_bytes_and_numbers_are_those_of_float64() -> None:
    specs = [{"contexts": [37, 1, 16], "seed": index, **case} for index, case in enumerate(CASES)]
    for spec, found in zip(specs, interpreted(BODY, json.dumps(specs)), strict=True):
        # float32 puts what lies half way between two steps on either side.
        assert found["differ"] < 2e-3, (spec, found)
        if spec["form"] == "k8v4":
            assert found["keys_differ"] == 0, (spec, found)
        assert found["error"] < 4e-3, (spec, found)
        assert found["lse"] < 4e-3, (spec, found)

"""What TurboQuant's formats cost: attention from each against attention from the bfloat16 it was made of.

    python benchmarks/turboquant_quality.py

Needs no card: the formats are decoded in float64. Keys and values are normal numbers; *outliers* makes a few
channels of each head's keys as large as rotary models have them. The last format is what vLLM 0.33 stores on
cards below compute capability 8.9 in the place of E4M3."""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from gpu_gotchas.fixes.turboquant import Codebook, Form
from gpu_gotchas.fixes.turboquant.reference import decoded, encode

HEAD, TOKENS, HEADS, QUERIES, SEEDS = 128, 4096, 4, 64, 3
OUTLIERS, LARGER = 4, 8.0


def encode_e4b15(values: torch.Tensor) -> torch.Tensor:
    """float32 to `fp8e4b15` codes, as Triton's code for compute capability 8.0 does it.

    To float16 rounding toward zero, the magnitude clamped at 1.75, the exponent's top bit dropped, the seven
    lowest bits rounded to the nearest with ties away from zero. NaN clamps as well.
    """
    half = values.half()
    half = torch.where(half.float().abs() > values.abs(), _one_step_down(half), half)
    bits = half.view(torch.int16).to(torch.int32)
    magnitude = torch.clamp(bits & 0x7FFF, max=0x3F00)
    return (((magnitude * 2 + 0x80) >> 8) | ((bits >> 8) & 0x80)).to(torch.uint8)


def decode_e4b15(codes: torch.Tensor) -> torch.Tensor:
    """`fp8e4b15` codes to float32, exactly."""
    wide = codes.to(torch.int32)
    bits = ((wide & 0x7F) << 7) | ((wide & 0x80) << 8)
    return bits.to(torch.int16).view(torch.float16).float()


def _one_step_down(half: torch.Tensor) -> torch.Tensor:
    return (half.view(torch.int16) - 1).view(torch.float16)


def attention(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights (heads, queries, tokens) and outputs of queries (heads, queries, head)."""
    weights = torch.softmax(torch.einsum("hqd,thd->hqt", queries, keys) * HEAD**-0.5, dim=2)
    return weights, torch.einsum("hqt,thd->hqd", weights, values)


def measure(outliers: bool, seed: int) -> dict[str, tuple[float, float, float]]:
    """For each format: mean cosine of outputs, lowest cosine, mean total variation of weights."""
    chance = torch.Generator().manual_seed(seed)
    keys, values = (torch.randn(TOKENS, HEADS, HEAD, generator=chance).double() for _ in range(2))
    queries = torch.randn(HEADS, QUERIES, HEAD, generator=chance).double()
    if outliers:
        keys[..., :OUTLIERS] *= LARGER
    keys, values, queries = (numbers.bfloat16().double() for numbers in (keys, values, queries))
    weights, outputs = attention(queries, keys, values)
    back = {}
    for form in Form:
        book = None if form is Form.K8V4 else Codebook.of(HEAD, "cpu", bits=form.key_bits)
        slots = encode(keys, values, form=form, codebook=book)
        back[form.value] = decoded(slots, form=form, head=HEAD, codebook=book)
    narrow = decode_e4b15(encode_e4b15(keys.float())).double()
    found = {}
    back["k8v4, keys in fp8e4b15"] = narrow, back["k8v4"][1]
    for name, pair in back.items():
        other, turned = attention(queries, *pair)
        cosine = torch.nn.functional.cosine_similarity(turned, outputs, dim=2)
        variation = (other - weights).abs().sum(2).mean() / 2
        found[name] = float(cosine.mean()), float(cosine.min()), float(variation)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what TurboQuant's formats cost in quality.")
    parser.add_argument("--into", type=Path, default=Path(__file__).parent / "results")
    folder = parser.parse_args().into
    rows: list[dict[str, Any]] = []
    for outliers in (False, True):
        runs = [measure(outliers, seed) for seed in range(SEEDS)]
        for name in runs[0]:
            mean, worst, variation = zip(*(run[name] for run in runs), strict=True)
            rows.append(
                {
                    "format": name,
                    "outlier_channels": OUTLIERS if outliers else 0,
                    "cosine": round(sum(mean) / SEEDS, 5),
                    "lowest_cosine": round(min(worst), 5),
                    "total_variation": round(sum(variation) / SEEDS, 5),
                }
            )
            print(rows[-1])
    said = {
        "date": datetime.now(UTC).date().isoformat(),
        "against": "bfloat16",
        "tokens": TOKENS,
        "head": HEAD,
        "outliers_are_larger_by": LARGER,
        "bytes_a_token": {form.value: form.slot_bytes(HEAD) for form in Form} | {"bf16": 4 * HEAD},
        "rows": rows,
    }
    path = folder / "turboquant_quality.json"
    path.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()

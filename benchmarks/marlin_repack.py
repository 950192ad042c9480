"""All experts into Marlin's layout at once, against the recipes that take one expert after the other.

    python benchmarks/marlin_repack.py [--library _C_stable_libtorch.abi3.so] [--into FOLDER]

Needs a card with 40 GiB free. The recipes are those of vLLM 0.33.0. FP8, `prepare_fp8_moe_layer_for_marlin`:
for each expert a contiguous copy, since the weight lies by output, a repack, and at the end `torch.cat`.
GPTQ, `gptq_marlin_moe_repack`: for each expert a repack and a copy into the result; a list that is
concatenated is measured for it too. library: vLLM's compiled extension, out of its wheel; without it the
recipes repack by this package's kernel on one expert, and rows say so. Times are of the host's clock around
all of it, since a load is not captured; results are equal to the byte before anything is timed."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from harness import RESULTS, copy_rate, write

from gpu_gotchas.fixes.marlin_repack_triton import fp8_words, repack_experts, repack_experts_in_place

VLLM = "vllm==0.33.0"
ROUNDS = 5
SHAPES = ((256, 7168, 4096), (512, 2048, 1024))
AIMS = {256: 2.5, 512: None}
MEMORY_AIM = 1.02


Repack = Callable[[torch.Tensor, int, int, int], torch.Tensor]
Recipe = Callable[[Repack, torch.Tensor, int, int, int], torch.Tensor]


def concatenated(repack: Repack, packed: torch.Tensor, size_k: int, size_n: int, bits: int) -> torch.Tensor:
    made = [repack(one.contiguous(), size_k, size_n, bits) for one in packed]
    return torch.cat([one.unsqueeze(0) for one in made])


def one_by_one(repack: Repack, packed: torch.Tensor, size_k: int, size_n: int, bits: int) -> torch.Tensor:
    out = packed.new_empty(packed.shape[0], size_k // 16, size_n * bits // 2)
    for expert, one in enumerate(packed):
        out[expert] = repack(one, size_k, size_n, bits)
    return out


RECIPES: dict[str, dict[str, Recipe]] = {
    "gptq": {"a list of experts, concatenated": concatenated, "one expert after the other": one_by_one},
    "fp8": {"a list of experts, concatenated": concatenated},
}


def own_repack(packed: torch.Tensor, size_k: int, size_n: int, bits: int) -> torch.Tensor:
    return repack_experts(packed.unsqueeze(0), size_k, size_n, bits)[0]


def repack_of(library: Path | None) -> tuple[Repack, str]:
    """What repacks one expert, and whose it is."""
    if library is None:
        return own_repack, "with this kernel"
    torch.ops.load_library(str(library.resolve()))

    def compiled(packed: torch.Tensor, size_k: int, size_n: int, bits: int) -> torch.Tensor:
        made: torch.Tensor = torch.ops._C.gptq_marlin_repack(packed, size_k, size_n, bits, False)
        return made

    return compiled, f"with {VLLM}'s kernel"


def measured(call: Callable[[], torch.Tensor]) -> tuple[float, int]:
    """Seconds, and bytes at the peak beyond what was there before."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    start = time.perf_counter()
    held = call()
    torch.cuda.synchronize()
    took = time.perf_counter() - start
    peak = torch.cuda.max_memory_allocated() - before
    del held
    return took, peak


def compared(
    ours: Callable[[], torch.Tensor], theirs: Callable[[], torch.Tensor]
) -> tuple[float, float, float, int, int]:
    """Medians of both in the order A, B, B, A; A's spread; both peaks."""
    first, last, other = [], [], []
    for _ in range(ROUNDS):
        took, peak = measured(ours)
        first.append(took)
        for _ in range(2):
            took, other_peak = measured(theirs)
            other.append(took)
        last.append(measured(ours)[0])
    spread = abs(statistics.median(first) / statistics.median(last) - 1)
    return statistics.median(first + last), statistics.median(other), spread, peak, other_peak


def source(kind: str, experts: int, size_k: int, size_n: int) -> tuple[torch.Tensor, int]:
    """Random packed weights as a loader holds them, and their bits."""
    if kind == "fp8":
        weight = torch.randint(0, 256, (experts, size_n, size_k), dtype=torch.uint8, device="cuda")
        return fp8_words(weight), 8
    shape = (experts, size_k // 8, size_n)
    return torch.randint(-(2**31), 2**31, shape, dtype=torch.int32, device="cuda"), 4


def rows_of(
    kind: str, experts: int, size_k: int, size_n: int, copy: float, repack: Repack, whose: str
) -> list[dict[str, Any]]:
    packed, bits = source(kind, experts, size_k, size_n)
    size = packed.nbytes
    shape = f"{kind}, {experts} experts of {size_k} by {size_n}"
    rows: list[dict[str, Any]] = []
    for name, recipe in RECIPES[kind].items():
        ours, theirs = (
            lambda: repack_experts(packed, size_k, size_n, bits),
            lambda recipe=recipe: recipe(repack, packed, size_k, size_n, bits),
        )
        if not torch.equal(ours(), theirs()):
            raise RuntimeError(f"{shape}: not what the recipe makes")
        torch.cuda.empty_cache()
        took, other, spread, peak, other_peak = compared(ours, theirs)
        aim = AIMS[experts] if recipe is concatenated else None
        common: dict[str, Any] = {"against": f"{name}, {whose}", "shape": shape}
        rows.append(
            {"name": "all experts at once", "ratio": round(other / took, 3)}
            | ({"aim": aim} if aim else {})
            | {
                "microseconds": round(took * 1e6, 1),
                "against_microseconds": round(other * 1e6, 1),
                "spread": round(spread, 4),
                "gigabytes_per_second": round(2 * size / took / 1e9),
                "of_copy": round(2 * size / took / copy, 3),
            }
            | common
        )
        rows.append(
            {
                "name": "memory at the peak over the result", "ratio": round(peak / size, 4),
                "most": MEMORY_AIM, "against_ratio": round(other_peak / size, 4),
            } | common
        )  # fmt: skip
        torch.cuda.empty_cache()
    in_place_took, in_place_peak = measured(lambda: repack_experts_in_place(packed, size_k, size_n, bits))
    rows.append(
        {
            "name": "in place: memory at the peak in experts",
            "ratio": round(in_place_peak * experts / size, 4), "most": 1.0,
            "microseconds": round(in_place_took * 1e6, 1), "shape": shape,
        }
    )  # fmt: skip
    for row in rows:
        print(row, flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--into", type=Path, default=RESULTS, help="where to write marlin_repack.json")
    parser.add_argument("--library", type=Path, help="vLLM's _C_stable_libtorch.abi3.so")
    chosen = parser.parse_args()
    repack, whose = repack_of(chosen.library)
    copy = copy_rate()
    rows = []
    for kind in ("gptq", "fp8"):
        for experts, size_k, size_n in SHAPES:
            rows += rows_of(kind, experts, size_k, size_n, copy, repack, whose)
            torch.cuda.empty_cache()
    print(write("marlin_repack", rows, chosen.into, copy_gigabytes_per_second=round(copy / 1e9)))


if __name__ == "__main__":
    main()

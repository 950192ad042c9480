"""All experts into Marlin's layout at once, against the recipes that take one expert after the other.

    python benchmarks/marlin_repack.py [--library _C_stable_libtorch.abi3.so] [--into FOLDER]

Needs a card with 40 GiB free. The recipes are those of vLLM 0.33.0. FP8, `prepare_fp8_moe_layer_for_marlin`:
for each expert a contiguous copy, since the weight lies by output, a repack, and at the end `torch.cat`.
GPTQ, `gptq_marlin_moe_repack`: for each expert a repack and a copy into the result; a list that is
concatenated is measured for it too. library: vLLM's compiled extension, out of its wheel; without it the
recipes repack by this package's kernel on one expert, and rows say so. Times are of the host's clock around
all of it, since a load is not captured; results are equal to the byte before anything is timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import torch
from harness import Table, compare, parser_of

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


class Load:
    """A call timed by the host's clock. peak: bytes at the peak of the last, beyond what was there before."""

    def __init__(self, call: Callable[[], torch.Tensor]) -> None:
        self.call = call
        self.peak = 0

    def time(self) -> float:
        """Microseconds."""
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        start = time.perf_counter()
        held = self.call()
        torch.cuda.synchronize()
        took = time.perf_counter() - start
        self.peak = torch.cuda.max_memory_allocated() - before
        del held
        return took * 1e6


def source(kind: str, experts: int, size_k: int, size_n: int) -> tuple[torch.Tensor, int]:
    """Random packed weights as a loader holds them, and their bits."""
    if kind == "fp8":
        weight = torch.randint(0, 256, (experts, size_n, size_k), dtype=torch.uint8, device="cuda")
        return fp8_words(weight), 8
    shape = (experts, size_k // 8, size_n)
    return torch.randint(-(2**31), 2**31, shape, dtype=torch.int32, device="cuda"), 4


def add_rows(
    table: Table, kind: str, experts: int, size_k: int, size_n: int, repack: Repack, whose: str
) -> None:
    packed, bits = source(kind, experts, size_k, size_n)
    size = packed.nbytes
    shape = f"{kind}, {experts} experts of {size_k} by {size_n}"
    for name, recipe in RECIPES[kind].items():
        ours = Load(lambda: repack_experts(packed, size_k, size_n, bits))
        theirs = Load(lambda recipe=recipe: recipe(repack, packed, size_k, size_n, bits))
        if not torch.equal(ours.call(), theirs.call()):
            raise RuntimeError(f"{shape}: not what the recipe makes")
        torch.cuda.empty_cache()
        timed = compare(ours, theirs, ROUNDS)
        aim = AIMS[experts] if recipe is concatenated else None
        against = f"{name}, {whose}"
        table.add(timed.row("all experts at once", against, shape, aim) | table.rates(2 * size, timed.a))
        table.add(
            {
                "name": "memory at the peak over the result", "ratio": round(ours.peak / size, 4),
                "most": MEMORY_AIM, "against_ratio": round(theirs.peak / size, 4),
                "against": against, "shape": shape,
            }
        )  # fmt: skip
        torch.cuda.empty_cache()
    in_place = Load(lambda: repack_experts_in_place(packed, size_k, size_n, bits))
    took = in_place.time()
    table.add(
        {
            "name": "in place: memory at the peak in experts",
            "ratio": round(in_place.peak * experts / size, 4), "most": 1.0,
            "microseconds": round(took, 1), "shape": shape,
        }
    )  # fmt: skip


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--library", type=Path, help="vLLM's _C_stable_libtorch.abi3.so")
    asked = parser.parse_args()
    repack, whose = repack_of(asked.library)
    table = Table("marlin_repack")
    for kind in ("gptq", "fp8"):
        for experts, size_k, size_n in SHAPES:
            add_rows(table, kind, experts, size_k, size_n, repack, whose)
            torch.cuda.empty_cache()
    table.write(asked.into)


if __name__ == "__main__":
    main()

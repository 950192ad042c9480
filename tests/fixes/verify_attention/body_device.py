"""The kernel on a card against float64, with fresh random data; prints a line for each case, then JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

import torch

from gpu_gotchas.fixes.launch_fit import current_target_name
from gpu_gotchas.fixes.split_kv.scratch import Scratch
from gpu_gotchas.fixes.verify_attention import Plan, Widening, plan, verify
from gpu_gotchas.fixes.verify_attention.reference import reference
from gpu_gotchas.hardware.catalogue import find_target
from tests.fixes.bodies.verify_cases import DTYPES, cache_of, check, form_of, tree

TARGET = find_target(current_target_name().partition(":")[0])
NATIVE = TARGET.capability is not None and TARGET.capability >= (8, 9)


def made(kv: str, queries: int, heads: int, kv_heads: int, head: int, batch: int, context: int) -> Plan:
    form = form_of(kv)
    return plan(
        TARGET, form, queries=queries, heads=heads, kv_heads=kv_heads, head=head, batch=batch,
        context=max(context, 1), multiprocessors=torch.cuda.get_device_properties(0).multi_processor_count,
        widening=Widening.INSTRUCTION if kv == "fp8" and NATIVE else None,
    )  # fmt: skip


def case(kv: str, size: tuple[int, int, int, int], contexts: list[int], **options: Any) -> None:
    chosen = made(kv, *size, len(contexts), max(contexts))
    if "splits" in options:
        chosen = replace(chosen, splits=options.pop("splits"))
    found = check({"kv": kv, "contexts": contexts, **options}, chosen, "cuda")
    line = {"kv": kv, "size": size, "contexts": contexts[:4], "splits": chosen.splits, **options, **found}
    print(line, flush=True)
    half = kv == "fp16" or options.get("half")
    assert found["error"] < (1e-3 if half else 5e-3), line
    assert found["lse"] < 1e-3, line
    RESULTS.append(line)


def graph(kv: str) -> None:
    """A captured step follows contexts, trees, lengths, scale and query that change between replays."""
    queries, size = 8, (16, 2, 128)
    caches = [cache_of(kv, (512, 16, 2, 128), "cuda") for _ in range(2)]
    table = torch.randperm(512, device="cuda").view(2, 256).int()
    dtype = torch.float16 if kv == "fp16" else torch.bfloat16
    query = torch.randn(2, queries, 16, 128, device="cuda").to(dtype)
    contexts = torch.tensor([4096, 9], dtype=torch.int32, device="cuda")
    lengths = torch.tensor([8, 8], dtype=torch.int32, device="cuda")
    masks = tree(2, queries, "cuda")
    number = torch.ones(1, device="cuda")
    scratch = Scratch.allocate(made(kv, queries, *size, 2, 4096), requests=2, device="cuda")
    options: dict[str, Any] = {"scale": 0.09, "masks": masks, "lengths": lengths, "key_scale": number}
    verify(query, *caches, table, contexts, scratch=scratch, **options)
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        out, lse = verify(query, *caches, table, contexts, scratch=scratch, **options)
    for new, live in (([4096, 9], [8, 8]), ([0, 4000], [8, 3]), ([1, 65], [1, 0])):
        contexts.copy_(torch.tensor(new))
        lengths.copy_(torch.tensor(live))
        masks.copy_(tree(2, queries, "cuda"))
        number.fill_(0.3 + new[1] / 4096)
        query.normal_()
        for poisoned in (out, lse):
            poisoned.fill_(float("nan"))
        captured.replay()
        torch.cuda.synchronize()
        wanted, wanted_lse = reference(
            query, *caches, table, contexts, scale=0.09, masks=masks, lengths=lengths, key_scale=float(number)
        )
        assert not out.isnan().any()
        assert float((out.double() - wanted).norm() / wanted.norm().clamp(min=1e-9)) < 5e-3, (kv, new)
        sees = wanted_lse > float("-inf")
        assert bool((lse[~sees] == float("-inf")).all())
        assert float((lse[sees] - wanted_lse[sees]).abs().max()) < 1e-3
    RESULTS.append({"graph": kv})


def main() -> None:
    for kv in sys.argv[1:] or DTYPES:
        for queries in (1, 4, 7, 16, 33, 64):
            case(kv, (queries, 16, 2, 128), [3000, queries, 0, 129, 64], mask="tree")
        for mask in ("causal", "random", "none"):
            case(kv, (16, 16, 2, 128), [2000, 16, 3], mask=mask)
        case(kv, (16, 16, 2, 128), [2000, 16, 333], mask="tree", lengths=[16, 1, 0])
        case(kv, (5, 12, 2, 64), [777, 1, 300], mask="tree")
        case(kv, (16, 8, 2, 256), [777, 17, 300], mask="tree")
        case(kv, (16, 6, 1, 128), [1500, 90], splits=7)
        case(kv, (16, 6, 1, 128), [40, 20], splits=1, mask="random")
        case(kv, (8, 16, 2, 128), [1500, 9], scales=(0.4, 1.7), tensors=True, mask="tree")
        case(kv, (8, 16, 2, 128), [1500, 9], half=kv != "bf16", gap=True)
        for page in (1, 48, 128):
            case(kv, (8, 16, 2, 128), [333, 64, 8], page=page, mask="tree")
        case(kv, (8, 16, 2, 128), [300, 90], far=530_000)
        graph(kv)
    print(json.dumps(RESULTS))


RESULTS: list[dict[str, object]] = []
if __name__ == "__main__":
    sys.exit(main())

"""Dry launches of the planned kernels for this process's target; prints what the compiler made as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch
from tests.fixes.bodies.verify_cases import DTYPES
from tests.fixes.compiled import Once

from gpu_gotchas.fixes.split_kv.scratch import Scratch
from gpu_gotchas.fixes.verify_attention import KvForm, plan, verify
from gpu_gotchas.fixes.verify_attention.kernel import attend
from gpu_gotchas.hardware.catalogue import find_target


def one(name: str, kv: str, queries: int, head: int, tree: bool) -> dict[str, Any]:
    target = find_target(name)
    made = plan(
        target, KvForm(kv), queries=queries, heads=16, kv_heads=2, head=head, batch=1, context=32768,
        multiprocessors=64,
    )  # fmt: skip
    query = torch.zeros(1, queries, 16, head, dtype=torch.bfloat16 if kv == "bf16" else torch.float16)
    cache = torch.zeros(4, 16, 2, head, dtype=torch.uint8 if kv == "fp8" else DTYPES[kv])
    numbers = torch.zeros(1, 8, dtype=torch.int32)
    masks = torch.zeros(1, queries, dtype=torch.int64) if tree else None
    scratch = Scratch.allocate(made, requests=1, device="cpu")

    def launch() -> object:
        return verify(query, cache, cache, numbers, numbers[:, 0], scale=0.1, scratch=scratch, masks=masks)

    compiled = once.compiled(launch, attend, target.shared_optin)
    return {"kv": kv, "queries": queries, "head": head, "rows": made.row_block, **compiled}


target, folder, *forms = sys.argv[1:]
once = Once(target, Path(folder))
wanted = [(kv, queries, 128, queries > 4) for kv in forms for queries in (4, 16)]
wanted += [(forms[0], 16, 64, False), (forms[0], 16, 256, False)]
print(json.dumps([one(target, *each) for each in wanted]))

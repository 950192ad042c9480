"""Dry launches of the planned kernels for this process's target; prints what the compiler made as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch
from tests.fixes.compiled import Once

from gpu_gotchas.fixes.mla_decode import KvForm, decode, launch, plan
from gpu_gotchas.hardware.catalogue import find_target

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.uint8}


def one(name: str, kv: str, heads: int, latent: int, rope: int) -> dict[str, Any]:
    target = find_target(name)
    form = KvForm(kv)
    chosen = plan(target, form, heads=heads, batch=2, context=4096, multiprocessors=64, latent=latent)
    query_dtype = torch.bfloat16 if kv == "bf16" else torch.float16
    query = torch.zeros(2, heads, latent + rope, dtype=query_dtype)
    cache = torch.zeros(4, 64, latent + rope, dtype=DTYPES[kv])
    table = torch.zeros(2, 64, dtype=torch.int32)
    contexts = torch.zeros(2, dtype=torch.int32)

    def start() -> object:
        return decode(query, cache, table, contexts, scale=0.1, latent=latent, plan=chosen)

    compiled = once.compiled(start, launch._kernel(chosen), target.shared_optin)
    return {"kv": kv, "heads": heads, "latent": latent, "kernel": chosen.kernel.value, **compiled}


target, folder, *forms = sys.argv[1:]
once = Once(target, Path(folder))
wanted = [(kv, heads, 512, 64) for kv in forms for heads in (16, 128)] + [("fp8", 16, 256, 32)]
print(json.dumps([one(target, *each) for each in wanted]))

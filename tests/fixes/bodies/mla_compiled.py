"""Dry launches of the planned kernels for this process's target; prints what the compiler made as JSON."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
import triton

from gpu_gotchas.fixes.mla_decode import KvForm, decode, launch, plan
from gpu_gotchas.hardware.catalogue import find_target

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.uint8}


def made(kernel: Any) -> Any:
    """The one kernel that this process compiled of this function last."""
    return list(kernel.device_caches[0][0].values())[-1]


def spills(binary: Any) -> int | None:
    """Instructions that touch local memory, or spilled registers on AMD; None where that cannot be read."""
    if "amdgcn" in binary.asm:
        return sum(int(found) for found in re.findall(r"vgpr_spill_count:\s*(\d+)", binary.asm["amdgcn"]))
    tool = Path(triton.__file__).parent / "backends/nvidia/bin/nvdisasm"
    if not tool.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(binary.asm["cubin"])
        text = subprocess.run([tool, "-c", path], capture_output=True, text=True, check=True).stdout
    return len(re.findall(r"\b(?:LDL|STL)\b", text))


def one(name: str, kv: str, heads: int, latent: int, rope: int) -> dict[str, Any]:
    target = find_target(name)
    form = KvForm(kv)
    chosen = plan(target, form, heads=heads, batch=2, context=4096, multiprocessors=64, latent=latent)
    query_dtype = torch.bfloat16 if kv == "bf16" else torch.float16
    query = torch.zeros(2, heads, latent + rope, dtype=query_dtype)
    cache = torch.zeros(4, 64, latent + rope, dtype=DTYPES[kv])
    table = torch.zeros(2, 64, dtype=torch.int32)
    decode(query, cache, table, torch.zeros(2, dtype=torch.int32), scale=0.1, latent=latent, plan=chosen)
    binary = made(launch._kernel(chosen))
    text = binary.asm.get("ptx") or binary.asm["amdgcn"]
    return {
        "kv": kv, "heads": heads, "latent": latent, "kernel": chosen.kernel.value,
        "shared": binary.metadata.shared, "limit": target.shared_optin, "spills": spills(binary),
        "matrix": [word for word in ("wgmma", "tcgen05.mma", "mma.sync", "mfma") if word in text],
    }  # fmt: skip


target, *forms = sys.argv[1:]
wanted = [(kv, heads, 512, 64) for kv in forms for heads in (16, 128)] + [("fp8", 16, 256, 32)]
print(json.dumps([one(target, *each) for each in wanted]))

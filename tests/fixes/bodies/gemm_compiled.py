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

from gpu_gotchas.fixes.block_fp8_gemm import Activation, Kernel, grouped_matmul, matmul, plan, portable
from gpu_gotchas.hardware.catalogue import find_target

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
FEATURES, COLUMNS = 1024, 2048


def tool(name: str, binary: Any, *options: str) -> str:
    """What one of the disassemblers beside Triton says of a compiled kernel; empty where it is missing."""
    found = Path(triton.__file__).parent / "backends/nvidia/bin" / name
    if not found.exists() or "cubin" not in binary.asm:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(binary.asm["cubin"])
        return subprocess.run([found, *options, path], capture_output=True, text=True, check=True).stdout


def spills(binary: Any) -> int | None:
    """Instructions that touch local memory, or spilled registers on AMD; None where that cannot be read."""
    if "amdgcn" in binary.asm:
        return sum(int(found) for found in re.findall(r"vgpr_spill_count:\s*(\d+)", binary.asm["amdgcn"]))
    text = tool("nvdisasm", binary, "-c")
    return len(re.findall(r"\b(?:LDL|STL)\b", text)) if text else None


def registers(binary: Any) -> int | None:
    if "amdgcn" in binary.asm:
        return max(int(found) for found in re.findall(r"\.vgpr_count:\s*(\d+)", binary.asm["amdgcn"]))
    found = re.search(r"REG:(\d+)", tool("cuobjdump", binary, "-res-usage"))
    return int(found[1]) if found else None


def one(name: str, activation: str, tokens: int, experts: int, kernel: str | None) -> dict[str, Any]:
    target = find_target(name)
    sizes = {"tokens": tokens, "features": FEATURES, "columns": COLUMNS, "experts": experts}
    made = plan(
        target, Activation(activation), multiprocessors=64, kernel=Kernel(kernel) if kernel else None, **sizes
    )
    front = (experts,) if experts else ()
    x = torch.zeros(tokens, COLUMNS, dtype=DTYPES[activation])
    weight = torch.zeros(*front, FEATURES, COLUMNS, dtype=torch.uint8)
    scale = torch.zeros(*front, FEATURES // 128, COLUMNS // 128)
    if made.kernel is Kernel.DEQUANTISE:
        from gpu_gotchas.fixes.block_fp8_gemm import helpers, launch

        launch.widen(weight, scale, torch.zeros(*front, FEATURES, COLUMNS, dtype=x.dtype), made)
        function = helpers.dequantise
    else:
        if experts:
            grouped_matmul(x, weight, scale, torch.zeros(experts, dtype=torch.int32), plan=made)
        else:
            matmul(x, weight, scale, plan=made)
        function = portable.multiply
        if made.kernel is Kernel.HOPPER_MANY:
            from gpu_gotchas.fixes.block_fp8_gemm.hopper_many import multiply_hopper_many as function
        elif made.kernel is Kernel.HOPPER:
            from gpu_gotchas.fixes.block_fp8_gemm.hopper import multiply_hopper as function
    binary = list(function.device_caches[0][0].values())[-1]
    text = binary.asm.get("ptx") or binary.asm["amdgcn"]
    return {
        "activation": activation, "tokens": tokens, "experts": experts, "kernel": made.kernel.value,
        "shared": binary.metadata.shared, "limit": target.shared_optin, "spills": spills(binary),
        "registers": registers(binary), "fp8": "e4m3" in text,
        "matrix": [word for word in ("wgmma", "tcgen05.mma", "mma.sync", "mfma") if word in text],
    }  # fmt: skip


SIZES = [(1, 0, None), (16, 0, None), (32, 0, None), (64, 0, None), (300, 0, None), (40, 8, None)]
target, first, *others = sys.argv[1:]
wanted = [(first, *each) for each in [*SIZES, (4096, 0, "dequantise")]]
wanted += [(activation, *each) for activation in others for each in (SIZES[1], SIZES[4])]
print(json.dumps([one(target, *each) for each in wanted]))

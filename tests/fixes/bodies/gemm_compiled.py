"""Dry launches of the planned kernels for this process's target; prints what the compiler made as JSON."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import torch
from tests.fixes.compiled import Once, disassembled

from gpu_gotchas.fixes.block_fp8_gemm import (
    Activation,
    Kernel,
    grouped_matmul,
    helpers,
    launch,
    matmul,
    plan,
    portable,
)
from gpu_gotchas.hardware.catalogue import find_target

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
FEATURES, COLUMNS = 1024, 2048


def registers(binary: Any) -> int | None:
    if "amdgcn" in binary.asm:
        return max(int(found) for found in re.findall(r"\.vgpr_count:\s*(\d+)", binary.asm["amdgcn"]))
    found = re.search(r"REG:(\d+)", disassembled("cuobjdump", binary, "-res-usage"))
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
    out = torch.zeros(*front, FEATURES, COLUMNS, dtype=x.dtype)
    experts_of = torch.zeros(experts, dtype=torch.int32)

    def start() -> object:
        if made.kernel is Kernel.DEQUANTISE:
            return launch.widen(weight, scale, out, made)
        if experts:
            return grouped_matmul(x, weight, scale, experts_of, plan=made)
        return matmul(x, weight, scale, plan=made)

    return {
        "activation": activation, "tokens": tokens, "experts": experts, "kernel": made.kernel.value,
        **once.compiled(start, function_of(made.kernel), target.shared_optin, more),
    }  # fmt: skip


def function_of(kernel: Kernel) -> Any:
    """The kernel; those of Hopper are imported where they are planned only."""
    if kernel is Kernel.DEQUANTISE:
        return helpers.dequantise
    if kernel is Kernel.HOPPER_MANY:
        from gpu_gotchas.fixes.block_fp8_gemm.hopper_many import multiply_hopper_many

        return multiply_hopper_many
    if kernel is Kernel.HOPPER:
        from gpu_gotchas.fixes.block_fp8_gemm.hopper import multiply_hopper

        return multiply_hopper
    return portable.multiply


def more(binary: Any) -> dict[str, Any]:
    text = binary.asm.get("ptx") or binary.asm["amdgcn"]
    return {"registers": registers(binary), "fp8": bool(re.search(r"cvt\S*(e4m3|fp8)", text))}


SIZES = [(1, 0, None), (16, 0, None), (32, 0, None), (64, 0, None), (300, 0, None), (40, 8, None)]
target, folder, first, *others = sys.argv[1:]
once = Once(target, Path(folder))
wanted = [(first, *each) for each in [*SIZES, (4096, 0, "dequantise")]]
wanted += [(activation, *each) for activation in others for each in (SIZES[1], SIZES[4])]
print(json.dumps([one(target, *each) for each in wanted]))
